package config

// schemaNode is one JSON Schema, with the keywords that Schema uses. The zero node accepts everything.
type schemaNode struct {
	Schema      string `json:"$schema,omitempty"`
	ID          string `json:"$id,omitempty"`
	Ref         string `json:"$ref,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`

	Type    any      `json:"type,omitempty"` // a string or a []string
	Default any      `json:"default,omitempty"`
	Const   any      `json:"const,omitempty"`
	Enum    []string `json:"enum,omitempty"`

	Minimum          *int64 `json:"minimum,omitempty"`
	ExclusiveMinimum *int64 `json:"exclusiveMinimum,omitempty"`
	Maximum          *int64 `json:"maximum,omitempty"`

	MinLength *int64 `json:"minLength,omitempty"`
	MaxLength *int64 `json:"maxLength,omitempty"`
	Pattern   string `json:"pattern,omitempty"`

	Properties           map[string]*schemaNode `json:"properties,omitempty"`
	PropertyNames        *schemaNode            `json:"propertyNames,omitempty"`
	AdditionalProperties any                    `json:"additionalProperties,omitempty"` // false or a *schemaNode
	Required             []string               `json:"required,omitempty"`
	MinProperties        int                    `json:"minProperties,omitempty"`
	MaxProperties        int                    `json:"maxProperties,omitempty"`

	Items    *schemaNode `json:"items,omitempty"`
	MinItems int         `json:"minItems,omitempty"`

	If    *schemaNode   `json:"if,omitempty"`
	Then  *schemaNode   `json:"then,omitempty"`
	Not   *schemaNode   `json:"not,omitempty"`
	AnyOf []*schemaNode `json:"anyOf,omitempty"`
	AllOf []*schemaNode `json:"allOf,omitempty"`

	Defs map[string]*schemaNode `json:"$defs,omitempty"`
}

// reference is the node that stands for a definition.
func reference(name string) *schemaNode { return &schemaNode{Ref: "#/$defs/" + name} }

// orPlaceholder accepts a placeholder where node, a scalar, stands.
func orPlaceholder(node *schemaNode) *schemaNode {
	return &schemaNode{AnyOf: []*schemaNode{node, reference("placeholder")}}
}
