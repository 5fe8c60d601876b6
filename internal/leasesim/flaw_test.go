package leasesim_test

// flaw is a set of ways in which the store or the holder departs from the protocol. The empty set is the protocol.
type flaw uint64

// What a store can get wrong.
const (
	noNextFloor        flaw = 1 << iota // a new window begins at T, and every free slot is ready
	floorIsNow                          // a new window begins at T, though the next floor decides what is usable
	ceilingMovesBack                    // a renewal goes by T, whatever the window was
	reGrantShrinks                      // the same for a re-grant
	nextFloorStays                      // a renewal extends the window, but not what the next one begins with
	renewChecksNothing                  // neither fence nor incarnation
	renewForgetsFence                   // any grant of that incarnation will do
	renewRevives                        // a released lease, too
	releaseChecksNothing
	releaseForgetsFence
	releaseForgetsUsed  // the whole window is given back
	releaseGivesUsed    // the last millisecond used is given back
	releaseForgetsFloor // where nothing was used, what lies before the window is given back
	reGrantKeepsFence
	reGrantMovesFloor
	reGrantToOwner // whichever its incarnation is
	noReGrant      // a doubled acquire takes a second slot
	takeOverAtNow  // the window taken over begins at T
	takeOverUnasked
	liveIsTaken
	fenceRestarts // with each holder
	aheadIsUsable // however far
	renewRunsAway // however far usedThrough lies ahead
	settingsIgnored
	namespacesTouch
)

// What a holder can get wrong.
const (
	reusesIncarnation flaw = 1 << (iota + 32) // after it was released
	goesOnAfterRelease
	forgetsUsed     // usedThrough counts the ids since the last grant only
	passesCeiling   // the window's end is taken as its last millisecond
	startsOver      // a grant begins at its floor, even if it is the same window as before
	survivesCrash   // a restarted process has the incarnation of the former one
	ownerIsIdentity // and its incarnation
	takesOldAnswers // to what was asked for with an incarnation given up
	tornWindow      // the new slot with the old window
)

func (f flaw) has(one flaw) bool { return f&one != 0 }
