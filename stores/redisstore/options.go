package redisstore

import (
	"errors"
	"strconv"

	"github.com/cosid-go/cosid/config/field"
)

// Options are the options of `type: redis`. DefaultOptions holds the defaults.
type Options struct {
	// URI says where Redis is: redis://user:password@host:port/db, rediss:// for TLS, unix:///path/to/socket?db=0,
	// several hosts with commas between them for a cluster, or
	// redis+sentinel://user:password@sentinel1:26379,sentinel2:26379/master-name/db (rediss+sentinel:// for TLS). Empty
	// means the client that was handed in. The characters / ? # @ : in user and password are percent-encoded.
	//
	// Options of go-redis may follow, such as ?pool_size=5&client_name=orders, but no time-outs, which are the store's,
	// and no retries. TLS trusts the authorities of the system (SSL_CERT_FILE); ?skip_verify=true trusts everybody. For
	// an authority or a certificate of your own, hand in a client.
	URI string `koanf:"uri"`

	// Cluster says that the URI leads to a Redis Cluster.
	Cluster bool `koanf:"cluster"`

	// Wait is how many replicas have to acknowledge a write before it counts: auto, off or a number. The zero value is auto.
	Wait Wait `koanf:"wait" schema:"pattern=auto|off|[1-9][0-9]{0,3}"`

	// SweepBatch is how many expired slot leases one acquire moves back to the free ones at most.
	SweepBatch int `koanf:"sweep-batch" schema:"min=1,max=1000"`

	// SentinelMaster makes the hosts of a redis:// or rediss:// URI sentinels, and is the name by which they know the
	// master: another way to write redis+sentinel://.
	SentinelMaster string `koanf:"sentinel-master"`

	// SentinelUsername is for the sentinels themselves, as SentinelPassword is; those in the URI are for the servers.
	SentinelUsername string `koanf:"sentinel-username"`

	// SentinelPassword is for the sentinels themselves.
	SentinelPassword string `koanf:"sentinel-password"`

	handedIn kind // what the factory has
}

// kind is what kind of client was handed in.
type kind int

const (
	nothing kind = iota
	clientKind
	runnerKind
)

const (
	maxSweepBatch = 1000
	maxWait       = 9999
)

// DefaultOptions returns the defaults: wait auto, sweep batch 16, everything else empty.
func DefaultOptions() Options { return Options{SweepBatch: 16} }

// Validate tells everything that is wrong with the options; its errors are joined field.Errors. None of them repeats
// what the URI holds. Without a client handed to the factory a missing URI is one of them.
func (o *Options) Validate() error {
	var problems []error
	problem := func(key, accepted, format string, args ...any) {
		problems = append(problems, field.Errorf(key, accepted, format, args...))
	}
	switch {
	case o.URI != "":
		if _, mistake := o.target(); mistake != nil {
			problems = append(problems, mistake)
		}
	case o.handedIn == nothing:
		problem("uri", "redis://host:port, or a client handed in", "missing, and no client was handed to the store")
	default:
		for key, set := range map[string]bool{
			"cluster": o.Cluster, "sentinel-master": o.SentinelMaster != "",
			"sentinel-username": o.SentinelUsername != "", "sentinel-password": o.SentinelPassword != "",
		} {
			if set {
				problem(key, "no such key, or a uri",
					"says how a uri is read, and there is none: the client handed in knows by itself")
			}
		}
	}
	if o.handedIn == runnerKind && o.URI == "" && o.Wait == WaitAuto() {
		problem("wait", "off, or the number of replicas",
			"auto cannot be found out through a script runner that was handed in")
	}
	if o.SweepBatch < 1 || o.SweepBatch > maxSweepBatch {
		problem("sweep-batch", "1 to "+strconv.Itoa(maxSweepBatch), "%d is out of range", o.SweepBatch)
	}
	return errors.Join(problems...)
}

// Wait is how many replicas have to acknowledge a write before it counts. The zero value is auto.
type Wait struct {
	fixed    bool
	replicas int
}

// WaitAuto decides when the store starts: one replica if the server has any, none otherwise. In a cluster either every
// master has a replica or none has, else the store does not start.
func WaitAuto() Wait { return Wait{} }

// WaitFor asks for n replicas, 0 to 9999; 0 is off.
func WaitFor(n int) Wait { return Wait{fixed: true, replicas: min(max(n, 0), maxWait)} }

// UnmarshalText reads auto, off or a number of replicas.
func (w *Wait) UnmarshalText(text []byte) error {
	switch word := string(text); word {
	case "auto":
		*w = WaitAuto()
	case "off":
		*w = WaitFor(0)
	default:
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > maxWait || word != strconv.Itoa(n) {
			return field.Errorf("", "auto, off, or a number of replicas from 1 to "+strconv.Itoa(maxWait),
				"%q does not say how many replicas to wait for", word)
		}
		*w = WaitFor(n)
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (w Wait) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// String is auto, off or the number of replicas.
func (w Wait) String() string {
	switch {
	case !w.fixed:
		return "auto"
	case w.replicas == 0:
		return "off"
	default:
		return strconv.Itoa(w.replicas)
	}
}
