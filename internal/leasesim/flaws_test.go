package leasesim_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// brokenProtocol is a departure from the protocol that the simulation has to notice.
type brokenProtocol struct {
	name    string
	flaws   flaw
	repeats bool // it makes ids repeat; else it breaks another promise
}

func brokenProtocols() []brokenProtocol {
	return []brokenProtocol{
		// The six that issue 8 names; the fifth needs both halves to make an id repeat.
		{"no next floor", noNextFloor, true},
		{"ceiling moves back", ceilingMovesBack, true},
		{"renew checks neither fence nor incarnation", renewChecksNothing, true},
		{"release checks neither fence nor incarnation", releaseChecksNothing, true},
		{"re-grant keeps its fence and incarnation is used again", reGrantKeepsFence | reusesIncarnation, true},
		{"release forgets usedThrough", releaseForgetsUsed, true},

		// The rest of what a store must do.
		{"new window begins at T", floorIsNow, true},
		{"re-grant shrinks the window", reGrantShrinks, true},
		{"renew leaves the next floor behind", nextFloorStays, true},
		{"renew forgets the fence", renewForgetsFence, false},
		{"renew revives a released lease", renewRevives, false},
		{"release forgets the fence and incarnation is used again", releaseForgetsFence | reusesIncarnation, true},
		{"release forgets the fence", releaseForgetsFence, false},
		{"release gives the last millisecond back", releaseGivesUsed, true},
		{"release forgets the floor", releaseForgetsFloor, true},
		{"re-grant keeps its fence", reGrantKeepsFence, false},
		{"re-grant moves the floor", reGrantMovesFloor, false},
		{"re-grant to another incarnation", reGrantToOwner, true},
		{"no re-grant", noReGrant, false},
		{"takeover begins at T", takeOverAtNow, true},
		{"takeover unasked", takeOverUnasked, false},
		{"live lease is taken", liveIsTaken, false},
		{"fence restarts", fenceRestarts, false},
		{"fence restarts and incarnation is used again", fenceRestarts | reusesIncarnation, true},
		{"window beyond the tolerance", aheadIsUsable, false},
		{"renewal beyond the tolerance", renewRunsAway, false},
		{"settings ignored", settingsIgnored, false},
		{"namespaces touch", namespacesTouch, false},

		// What a holder must do.
		{"ids after the release was sent", goesOnAfterRelease, true},
		{"usedThrough since the last grant only", forgetsUsed, true},
		{"ceiling is used", passesCeiling, true},
		{"re-grant starts over", startsOver, true},
		{"incarnation survives a crash", survivesCrash, true},
		{"owner as incarnation", ownerIsIdentity, true},
		{"answers to an incarnation given up", takesOldAnswers, true},
		{"slot and window torn", tornWindow, true},
	}
}

// patience is how many steps a broken protocol may pass for the right one: about twenty times what the best hidden one
// needs on average, and the chance to be missed falls as e to the power of that.
const patience = 8_000_000

// TestFlawsAreCaught finds every broken protocol, from seeds that are always the same and from fresh ones. One that makes
// ids repeat is found by the repeated id alone, too, as if no other promise were checked. COSID_SIM_TRIALS is how many
// runs each gets, 4 by default.
func TestFlawsAreCaught(t *testing.T) {
	fresh := seed(t)
	trials := number(t, "COSID_SIM_TRIALS", 4)
	for _, p := range brokenProtocols() {
		t.Run(p.name, func(t *testing.T) {
			for _, repeatsOnly := range []bool{false, true} {
				if repeatsOnly && !p.repeats {
					continue
				}
				var needed []int
				promises := make(map[string]int)
				for i := range trials {
					first := 1 + uint64(i)*patience
					if i >= trials/2 {
						first = fresh + uint64(i)*patience
					}
					r := trial{seed: first, steps: patience, flaws: p.flaws, open: openModel(p.flaws), repeatsOnly: repeatsOnly}
					o := r.run()
					if o.breach == nil {
						t.Fatalf("seed %d: not caught in %d steps, repeated ids only: %t", first, o.steps, repeatsOnly)
					}
					needed = append(needed, o.steps)
					promises[o.breach.promise]++
				}
				t.Logf("repeated ids only: %t; caught by %v after %v steps", repeatsOnly, promises, summary(needed))
			}
		})
	}
}

// TestEitherHalfIsSafe shows that a re-grant's new fence and an incarnation's end at its release each protect what the
// other does not: with one of them gone no id repeats. A protocol that lacks both is among the broken ones.
func TestEitherHalfIsSafe(t *testing.T) {
	first := seed(t)
	for name, f := range map[string]flaw{
		"the re-grant keeps its fence":  reGrantKeepsFence,
		"the incarnation is used again": reusesIncarnation,
	} {
		t.Run(name, func(t *testing.T) {
			r := trial{seed: first, steps: 500_000, flaws: f, open: openModel(f), repeatsOnly: true}
			if o := r.run(); o.breach != nil {
				o.fatal(t, r)
			}
		})
	}
}

func summary(steps []int) string {
	sum, most := 0, 0
	for _, n := range steps {
		sum += n
		most = max(most, n)
	}
	return fmt.Sprintf("%d on average, %d at most", sum/len(steps), most)
}

// number is a setting of the environment.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a number of at least 1", name, text)
	}
	return n
}
