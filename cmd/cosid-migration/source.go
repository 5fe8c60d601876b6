package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

// source is where the value of an import comes from. Exactly one of next, last, dsn and redis is given.
type source struct {
	next, last string

	dsn, driver          string
	query, table, column string
	cosid                bool

	redis        string
	redisCluster bool

	cosidName string
}

func (s *source) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.next, "next", "", "the first id to be issued, `N`")
	flags.StringVar(&s.last, "last", "", "the greatest id that was issued, `N`")
	flags.StringVar(&s.dsn, "dsn", "", "the database that knows the last id: a `DSN` as in the options of type gorm")
	flags.StringVar(&s.driver, "driver", "", "the `KIND` of that database: sqlite, postgres, mysql or mariadb")
	flags.StringVar(&s.query, "query", "", "the `SQL` that answers with the last id")
	flags.StringVar(&s.table, "table", "", "the `TABLE` of the last id; with --cosid that of CosId, \"cosid\" by default")
	flags.StringVar(&s.column, "column", "", "the `COLUMN` of --table whose greatest value is the last id")
	flags.BoolVar(&s.cosid, "cosid", false, "read the table of CosId for Java")
	flags.StringVar(&s.redis, "redis", "", "read the key of CosId for Java in the Redis at this `URI`")
	flags.BoolVar(&s.redisCluster, "redis-cluster", false, "the URI leads to a Redis Cluster")
	flags.StringVar(&s.cosidName, "cosid-name", "", "the `NAME` that CosId for Java has for the generator")
	cli.Complete(cmd, "driver", driverNames())
}

// check refuses flags that do not go together.
func (s *source) check() error {
	given := 0
	for _, value := range []string{s.next, s.last, s.dsn, s.redis} {
		if value != "" {
			given++
		}
	}
	database := s.driver != "" || s.query != "" || s.table != "" || s.column != "" || s.cosid
	switch {
	case given != 1:
		return cli.Usagef("import takes its value from one of --next, --last, --dsn and --redis; see cosid-migration import --help")
	case s.dsn == "" && database:
		return cli.Usagef("--driver, --query, --table, --column and --cosid belong to --dsn")
	case s.redis == "" && s.redisCluster:
		return cli.Usagef("--redis-cluster belongs to --redis")
	case s.redis == "" && !s.cosid && s.cosidName != "":
		return cli.Usagef("--cosid-name belongs to --cosid or --redis")
	case s.dsn != "":
		return s.checkDatabase()
	}
	_, err := s.number()
	return err
}

// number is the value of --next or --last: the next id.
func (s *source) number() (int64, error) {
	flag, text := "next", s.next
	if s.last != "" {
		flag, text = "last", s.last
	}
	if text == "" {
		return 0, nil
	}
	n, err := parseID(text)
	if err == nil && flag == "last" {
		n, err = after(n)
	}
	if err != nil {
		return 0, cli.Usagef("--%s: %w", flag, err)
	}
	return n, nil
}

// read finds the next id. Java is the name that CosId for Java has by default for the generator.
func (s *source) read(ctx context.Context, t *cli.Tool, java string) (int64, error) {
	if s.cosidName == "" {
		s.cosidName = java
	}
	var last int64
	var err error
	switch {
	case s.dsn != "":
		last, err = s.readDatabase(ctx, t)
	case s.redis != "":
		last, err = s.readRedis(ctx, t)
	default:
		return s.number()
	}
	if err == nil {
		last, err = after(last)
	}
	if err != nil {
		return 0, fmt.Errorf("import from %s: %w", s, err)
	}
	return last, nil
}

// String tells the source without its address, which may hold a secret.
func (s *source) String() string {
	switch {
	case s.next != "":
		return "from --next"
	case s.last != "":
		return "after --last " + s.last
	case s.redis != "":
		return fmt.Sprintf("Redis, key %s", javaKey(s.cosidName))
	case s.cosid:
		return fmt.Sprintf("%s, table %s, row %s", s.driver, s.cosidTable(), s.cosidName)
	case s.table != "":
		return fmt.Sprintf("%s, the greatest %s of %s", s.driver, s.column, s.table)
	default:
		return s.driver + ", the query"
	}
}

// parseID reads an id: a whole number from 0 to the greatest one.
func parseID(text string) (int64, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimPrefix(text, "-")
	switch n, err := strconv.ParseInt(text, 10, 64); {
	case digits == "" || strings.Trim(digits, "0123456789") != "":
		return 0, fmt.Errorf("%.60q is not a whole number", text)
	case text != digits:
		return 0, fmt.Errorf("%.60s is negative, and ids are not", text)
	case err != nil:
		return 0, fmt.Errorf("%.60s is greater than any id can be: the greatest is %d", text, int64(math.MaxInt64))
	default:
		return n, nil
	}
}

// after is the id that follows the last one.
func after(last int64) (int64, error) {
	if last == math.MaxInt64 {
		return 0, fmt.Errorf("the last id is %d, which no other can follow", last)
	}
	return last + 1, nil
}

// resolve is a flag's value, or, for ${NAME}, that of the environment variable.
func resolve(t *cli.Tool, flag, value string) (string, error) {
	name, isVariable := strings.CutPrefix(value, "${")
	name, closed := strings.CutSuffix(name, "}")
	if !isVariable || !closed {
		return value, nil
	}
	if value = t.Variable(name); value == "" {
		return "", fmt.Errorf("--%s: the environment variable %s is not set", flag, name)
	}
	return value, nil
}
