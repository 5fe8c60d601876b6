package redisstore

import (
	"context"
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"time"
)

// ScriptRunner runs scripts on a Redis server. The store has one for each kind of client; an application may hand in
// its own. It must be safe for concurrent use.
type ScriptRunner interface {
	// RunScript runs call.Script with EVALSHA, and with EVAL where the server does not know it yet, on the master
	// that has call.Keys. If call.Replicas is more than 0 it sends WAIT call.Replicas call.WaitTimeout right behind
	// the script on the same connection, best in the same round trip: WAIT counts only what its own connection wrote.
	// It must not send a script twice, except after an answer by which the server has not run it.
	//
	// ctx has a deadline, and the call ends soon after ctx does. Errors:
	//   - an error reply of the script: the server's, a redis.Error of go-redis; it means that the script has changed
	//     nothing;
	//   - an error reply of WAIT, or none: an error that wraps stores.ErrOutcomeUnknown;
	//   - anything else counts as outcome unknown, too.
	RunScript(ctx context.Context, call ScriptCall) (ScriptReply, error)
}

// ScriptCall is one run of one script, and the WAIT that belongs to it.
type ScriptCall struct {
	Script Script
	Keys   []string // at least one; all share a hash tag, so that they lie in one slot
	Args   []string

	Replicas    int           // how many replicas have to acknowledge; 0 = no WAIT
	WaitTimeout time.Duration // of WAIT, whole milliseconds, below the store's timeout; 0 without WAIT
}

// ScriptReply is the answer to a ScriptCall.
type ScriptReply struct {
	Value        any // what the script returned: string, int64, nil, or []any of these
	Acknowledged int // how many replicas acknowledged, as WAIT says; 0 without WAIT
}

// Script is a Lua script.
type Script struct {
	Source string
	SHA1   string // of Source, in lower-case hexadecimal digits: what EVALSHA takes
}

func newScript(source string) Script {
	sum := sha1.Sum([]byte(source))
	return Script{Source: source, SHA1: hex.EncodeToString(sum[:])}
}

//go:embed *.lua
var sources embed.FS

// scripts are the store's scripts.
type scripts struct {
	probe                   Script
	reserve, seal           Script
	acquire, renew, release Script
	ranges, delete, raise   Script
	rows                    Script
}

func newScripts() scripts {
	return scripts{
		probe:   read("probe.lua"),
		reserve: read("reserve.lua"),
		seal:    read("seal.lua"),
		acquire: read("slots.lua", "acquire.lua"),
		renew:   read("slots.lua", "renew.lua"),
		release: read("slots.lua", "release.lua"),
		ranges:  read("ranges.lua"),
		delete:  read("delete.lua"),
		raise:   read("raise.lua"),
		rows:    read("rows.lua"),
	}
}

// read makes one script of files that are always there.
func read(names ...string) Script {
	var source []byte
	for _, name := range names {
		text, _ := sources.ReadFile(name)
		source = append(source, text...)
	}
	return newScript(string(source))
}
