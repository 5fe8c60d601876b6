// Package config turns the `cosid:` section of an application's YAML, the environment and values from code into
// a checked Config (design section 8). It is the only importer of koanf.
//
// Reading goes in four steps, a file each: sources are found and read (sources.go, yaml.go, environment.go),
// koanf merges them, later over earlier (load.go), the section is decoded strictly against the types that the
// factories bring (section.go, decode.go), and every mistake is reported at once (report.go).
package config
