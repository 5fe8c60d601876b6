package storetest

import (
	"strings"

	"github.com/cosid-go/cosid/stores"
)

// The checks of L10, and of names that are nearly the same.

// similarNamespaces are namespaces that a careless store could take for one another.
func (t *slotTrial) similarNamespaces() []string {
	name := t.namespace
	pad := func(last string) string { return name + strings.Repeat("x", 64-len(name)-len(last)) + last }
	return []string{
		name, strings.ToUpper(name), name[:len(name)-1], name + "1", name + ".", name + "_", name + "-",
		name + ".slot", name + "-meta", name + "_a", name + ".a", name + "-a", pad("1"), pad("2"), pad(""),
	}
}

func namespacesApart(t *slotTrial) {
	clients := t.openMany(2)
	var leases []stores.SlotLease
	for i, namespace := range t.similarNamespaces() {
		request := withLimit(t.request("a"), int64(1+i%2)) // other settings too
		request.Namespace = namespace
		leases = append(leases, t.acquireNext(clients[i%2], request, 0, 1, 0))
	}
	for i, lease := range leases { // each is still its own
		renewed := t.renew(clients[i%2], lease, 2*long, lease.Floor)
		request := withLimit(t.request("b"), int64(1+i%2))
		request.Namespace = lease.Namespace
		if i%2 == 1 {
			t.acquireNext(clients[i%2], request, 1, 1, 0)
			continue
		}
		t.noneFree(clients[i%2], request)
		t.release(clients[i%2], renewed, renewed.Floor)
		t.acquireNext(clients[i%2], request, 0, 2, renewed.Floor+1)
	}
	// A lease counts in its own only.
	forged := leases[1]
	forged.Namespace += "-unknown"
	t.lost(clients[0], forged)
}

func ownersApart(t *slotTrial) {
	clients := t.openMany(2)
	longest := strings.Repeat("h", 254)
	owners := []string{
		"host-1", "Host-1", "HOST-1", "host_1", "host.1", "host:1", "host@1", "host-11", "host", "h",
		longest + "1", longest + "2", longest,
	}
	request := func(i int) stores.SlotRequest {
		r := withLimit(t.request(owners[i]), int64(len(owners)))
		r.Incarnation = "same"
		return r
	}
	leases := make([]stores.SlotLease, len(owners))
	for i := range owners {
		leases[i] = t.acquireNext(clients[i%2], request(i), int64(i), 1, 0)
	}
	for i := range owners {
		leases[i] = t.acquireAgain(clients[i%2], request(i), leases[i])
	}
	for i := range owners {
		t.release(clients[i%2], leases[i], leases[i].Floor-1)
	}
	for i := len(owners) - 1; i >= 0; i-- { // each finds its last one
		r := request(i)
		r.Incarnation = "next"
		t.acquireNext(clients[i%2], r, int64(i), 3, leases[i].Floor)
	}
}

func incarnationsApart(t *slotTrial) {
	clients := t.openMany(2)
	words := []string{
		"a", "A", "a-", "-a", "aa", strings.Repeat("i", 63), strings.Repeat("i", 63) + "1", strings.Repeat("i", 63) + "2",
	}
	for i, word := range words {
		request := withLimit(t.request("host"), int64(len(words)))
		request.Incarnation = word
		t.acquireNext(clients[i%2], request, int64(i), 1, 0)
	}
}
