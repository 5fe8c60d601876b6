/*
 * The slot lease protocol of cosid. README.md beside this file says what the model shows, and what not.
 *
 * All that can happen is one choice of the loop at the end: a process makes an id, sends a request, takes an answer or
 * crashes, or the store executes a request. A request lies in the net until another takes its place, and may be executed
 * any number of times before, or never: that covers loss, delay, doubling and reordering. An answer that is never taken
 * is a lost one.
 *
 * The store's clock shows any value at any execution, which covers all steps of a clock. An acquire may be given any
 * usable slot, live or not, which covers expiry, takeover and every order of choosing: no id depends on them.
 *
 * An id is a slot and a tick. The sequence within a tick is the matter of one process, and left out.
 */

/* How much of the protocol is explored. */
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef CLOCK
#define CLOCK 2 /* the store's clock shows 0 to CLOCK */
#endif
#ifndef TTL
#define TTL 2
#endif
#ifndef TOLERANCE
#define TOLERANCE 1
#endif
#ifndef REQUESTS
#define REQUESTS 2 /* in the net at once */
#endif
#ifndef GRANTS
#define GRANTS 4 /* of one slot */
#endif
#ifndef LIVES
#define LIVES 4 /* incarnations of all processes */
#endif

#define TICKS (CLOCK + TOLERANCE + TTL) /* no window ends later */
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

#define NOTHING 0
#define ACQUIRE 1
#define RENEW 2
#define RELEASE 3

typedef Row { byte incarnation /* 0 = free */, fence, floor, ceiling, nextFloor }

typedef Lease { byte slot, fence, floor, ceiling }

typedef Process {
	byte incarnation;
	byte next;     /* the tick after the last one used; 0 = none was */
	bool holds;    /* lease is a window to make ids in */
	Lease lease;
	byte awaits;   /* the kind of the request that it waits for */
	bool answered; /* answer is there, but not taken yet */
	Lease answer
}

typedef Request { byte kind, from, incarnation, slot, fence, next; bool awaited }

typedef Ticks { bool made[TICKS] }

Row row[SLOTS];
Process process[PROCESSES];
Request request[REQUESTS];
Ticks id[SLOTS];
byte lives;

/* What the current step is about; 0 between the steps, so that they make no states of their own. */
byte p, r, s, t, fence;

#define ME process[p]
#define IT request[r]
#define ROW row[s]

#define ANY(variable, count) \
	if \
	:: variable = 0 \
	:: count > 1 -> variable = 1 \
	:: count > 2 -> variable = 2 \
	:: count > 3 -> variable = 3 \
	:: count > 4 -> variable = 4 \
	:: count > 5 -> variable = 5 \
	:: count > 6 -> variable = 6 \
	:: count > 7 -> variable = 7 \
	fi

#define COPY(a, b) a.slot = b.slot; a.fence = b.fence; a.floor = b.floor; a.ceiling = b.ceiling
#define CLEAR(a) a.slot = 0; a.fence = 0; a.floor = 0; a.ceiling = 0

/* ---- the process ---- */

inline newIncarnation() { lives++; ME.incarnation = lives }

/* giveUp: whatever comes of what p has asked for, it will not hear of it. */
inline giveUp() {
	t = 0;
	do
	:: t < REQUESTS ->
		if
		:: request[t].kind != NOTHING && request[t].from == p -> request[t].awaited = false
		:: else
		fi;
		t++
	:: else -> break
	od;
	ME.awaits = NOTHING;
	ME.answered = false;
	CLEAR(ME.answer)
}

inline send(what) {
	giveUp();
	IT.kind = what;
	IT.from = p;
	IT.incarnation = ME.incarnation;
	IT.awaited = what != RELEASE;
	IT.slot = ME.lease.slot;
	IT.fence = ME.lease.fence;
	IT.next = MIN(ME.next, ME.lease.ceiling);
	if
	:: what == ACQUIRE -> IT.slot = 0; IT.fence = 0; IT.next = 0
	:: else -> skip
	fi;
	if
	:: what != RELEASE -> ME.awaits = what
	:: else
	fi
}

/* letGo ends the use of the window, and of the incarnation, before the release can arrive. */
inline letGo() {
#ifndef USE_AFTER_RELEASE
	ME.holds = false;
	CLEAR(ME.lease);
#endif
#ifdef INCARNATION_USED_AGAIN
	skip
#else
	newIncarnation()
#endif
}

inline takeAnswer() {
	if
	:: ME.awaits == ACQUIRE || ME.awaits == RENEW && ME.holds ->
		ME.holds = true;
		COPY(ME.lease, ME.answer)
	:: else
	fi;
	giveUp()
}

inline crash() {
	giveUp();
	ME.holds = false;
	CLEAR(ME.lease);
	ME.next = 0;
#ifdef INCARNATION_SURVIVES
	skip
#else
	newIncarnation()
#endif
}

inline makeID() {
	assert(!id[ME.lease.slot].made[t]); /* no id is made twice */
	id[ME.lease.slot].made[t] = true;
	ME.next = t + 1
}

/* ---- the store, whose clock shows t ---- */

/* reply: the lease goes to whoever still waits. Of the answers to a doubled request it may get any. */
inline reply() {
	p = IT.from;
	if
	:: IT.awaited ->
		ME.answered = true;
		ME.answer.slot = s;
		ME.answer.fence = ROW.fence;
		ME.answer.floor = ROW.floor;
		ME.answer.ceiling = ROW.ceiling
	:: true
	fi
}

#ifdef CEILING_MOVES_BACK
#define EXTEND(least) ROW.ceiling = least; ROW.nextFloor = ROW.ceiling
#else
#define EXTEND(least) ROW.ceiling = MAX(ROW.ceiling, least); ROW.nextFloor = ROW.ceiling
#endif

inline acquire() {
	ANY(s, SLOTS);
	fence = ROW.fence;
	if
	:: ROW.fence < GRANTS && ROW.incarnation == IT.incarnation ->
#ifndef RE_GRANT_KEEPS_FENCE
		ROW.fence++;
#endif
		EXTEND(MIN(MAX(t, ROW.floor), t + TOLERANCE) + TTL);
		reply()
#ifdef NO_NEXT_FLOOR
	:: ROW.fence < GRANTS && ROW.incarnation != IT.incarnation ->
		ROW.floor = t;
#else
	:: ROW.fence < GRANTS && ROW.incarnation != IT.incarnation && ROW.nextFloor <= t + TOLERANCE ->
		ROW.floor = MAX(ROW.nextFloor, t);
#endif
		ROW.fence++;
		ROW.incarnation = IT.incarnation;
		ROW.ceiling = ROW.floor + TTL;
		ROW.nextFloor = ROW.ceiling;
		reply()
	:: else -> fence = 0 /* no free slot */
	fi;
#ifndef IDS_ONLY
	assert(fence == 0 || ROW.fence > fence) /* fences rise */
#endif
}

inline renew() {
	s = IT.slot;
	if
#ifdef RENEW_CHECKS_NOTHING
	:: true ->
#else
	:: ROW.fence == IT.fence && ROW.incarnation == IT.incarnation ->
#endif
		EXTEND(MIN(MAX(t, IT.next), t + TOLERANCE) + TTL);
		reply()
	:: else /* lease lost: the process may acquire at any time anyway */
	fi
}

inline release() {
	s = IT.slot;
	if
#ifdef RELEASE_CHECKS_NOTHING
	:: true ->
#else
	:: ROW.fence == IT.fence && ROW.incarnation == IT.incarnation ->
#endif
		ROW.incarnation = 0;
#ifdef RELEASE_FORGETS_USED
		ROW.nextFloor = ROW.floor
#else
		ROW.nextFloor = MAX(ROW.floor, IT.next)
#endif
	:: else
	fi
}

inline done() { p = 0; r = 0; s = 0; t = 0; fence = 0 }

/* Each step draws whom it is about, and does nothing if that does not fit. */
init {
	atomic {
		do
		:: p < PROCESSES -> newIncarnation(); p++
		:: else -> break
		od;
		done()
	}
	do
	:: atomic { /* a process makes an id, at any tick of its window that it has not passed */
		ANY(p, PROCESSES);
		if
		:: ME.holds ->
			ANY(t, TICKS);
			if
			:: t >= ME.lease.floor && t >= ME.next && t < ME.lease.ceiling -> makeID()
			:: else
			fi
		:: else
		fi;
		done()
	}
	:: atomic { /* a process sends, whatever it waited for before; another request makes room */
		ANY(p, PROCESSES);
		ANY(r, REQUESTS);
		if
		:: !ME.answered && (r == 0 || request[r - 1].kind != NOTHING) ->
			if
			:: send(ACQUIRE)
			:: ME.holds -> send(RENEW)
			:: ME.holds && lives < LIVES -> send(RELEASE); letGo()
			fi
		:: else
		fi;
		done()
	}
	:: atomic { /* a process takes an answer */
		ANY(p, PROCESSES);
		if
		:: ME.answered -> takeAnswer()
		:: else
		fi;
		done()
	}
	:: atomic { /* a process crashes, and another starts in its place */
		ANY(p, PROCESSES);
		if
		:: lives < LIVES -> crash()
		:: else
		fi;
		done()
	}
	:: atomic { /* the store executes a request */
		ANY(r, REQUESTS);
		if
		:: IT.kind == ACQUIRE -> ANY(t, CLOCK + 1); acquire()
		:: IT.kind == RENEW -> ANY(t, CLOCK + 1); renew()
		:: IT.kind == RELEASE -> release()
		:: else
		fi;
		done()
	}
	od
}
