// Package servers starts real servers for tests: on free loopback ports, with their data in temporary folders, as
// children of the test's process, which end with the test.
package servers
