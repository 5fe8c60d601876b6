package config

import (
	"fmt"
	"strings"
)

// lookup reads an environment variable, as os.LookupEnv does.
type lookup func(name string) (string, bool)

// expansion is what came of the placeholders in a text.
type expansion struct {
	text     string
	variable string // a variable that was set and used
	expanded bool   // whether there was a placeholder
	whole    bool   // whether the text was one placeholder and nothing else
}

// expandPlaceholders replaces ${NAME} and ${NAME:default}; a default may hold placeholders itself, and $${ stands
// for a literal ${. The value of a variable is taken as it is: nothing in it is expanded again.
func expandPlaceholders(text string, env lookup) (expansion, error) {
	var (
		out  strings.Builder
		done expansion
	)
	for {
		before, rest, found := strings.Cut(text, "${")
		if !found {
			out.WriteString(text)
			done.text = out.String()
			return done, nil
		}
		if literal, escaped := strings.CutSuffix(before, "$"); escaped {
			out.WriteString(literal + "${")
			done.expanded = true
			text = rest
			continue
		}
		out.WriteString(before)
		body, after, err := cutPlaceholder(rest)
		if err != nil {
			return expansion{}, err
		}
		value, err := resolvePlaceholder(body, env)
		if err != nil {
			return expansion{}, err
		}
		out.WriteString(value.text)
		done.expanded = true
		if value.variable != "" {
			done.variable = value.variable
		}
		done.whole = before == "" && after == "" && out.Len() == len(value.text)
		text = after
	}
}

// cutPlaceholder splits what follows "${" at the brace that closes it.
func cutPlaceholder(text string) (body, after string, err error) {
	open := 1
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "${"):
			open++
		case text[i] == '}':
			open--
			if open == 0 {
				return text[:i], text[i+1:], nil
			}
		}
	}
	return "", "", fmt.Errorf("the placeholder ${%s has no closing brace", text)
}

func resolvePlaceholder(body string, env lookup) (expansion, error) {
	name, fallback, hasFallback := strings.Cut(body, ":")
	if name == "" || strings.ContainsAny(name, " ${}") {
		return expansion{}, fmt.Errorf("${%s} names no variable", body)
	}
	if value, ok := env(name); ok {
		return expansion{text: value, variable: name}, nil
	}
	if !hasFallback {
		return expansion{}, fmt.Errorf("the environment variable %s of ${%s} is not set", name, body)
	}
	return expandPlaceholders(fallback, env)
}
