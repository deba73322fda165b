/*
 * The core of the order protocol, small enough to visit every state: an intent is committed under locks, then sent once;
 * a kill switch and a takeover of the lease come between any two steps; a worker crashes at any step. orders.qnt has the
 * whole protocol.
 *
 * Two workers trade one account and commit at most three orders. `atomic` is one transaction of the database, as in
 * storage/trading/intents.ts, storage/trading/halts.ts and storage/postgres/leases.ts. Each macro that a check may
 * define leaves one rule out: NO_LOCK, NO_FENCING, RESEND, IMPATIENT.
 */
#define ORDERS 3
#define RUNS 4

/* States of an order row. */
#define ABSENT 0
#define INTENT 1
#define OPEN 2
#define UNKNOWN 3
#define NEVER_ARRIVED 4
#define NOT_SENT 5

byte row[ORDERS];     /* as the database has them */
byte placed[ORDERS];  /* how often the exchange has placed the order */
byte flying[ORDERS];  /* its requests that may still take effect */
bool over[ORDERS];    /* its time to be signed is over */
byte next = 0;
byte fencing = 0;     /* number of the run that holds the lease */
bool halted = false;  /* the kill switch, as committed */
bool late = false;    /* an entry was committed while the kill switch was engaged */
bool stale = false;   /* an entry was committed by a run that had lost the lease */

#ifdef NO_FENCING
#define OWNED true
#else
#define OWNED (fencing == mine)
#endif
#ifdef IMPATIENT
#define CERTAIN true
#else
/* Nothing signs the order any more, and no request of it can still take effect. */
#define CERTAIN (over[o] && flying[o] == 0)
#endif
#define UNSETTLED (row[o] == INTENT || row[o] == UNKNOWN)

/* Runs of the account in one process after another: a crash forgets everything except the database. */
active [2] proctype Worker() {
  byte mine, o;
start:
  if
  :: atomic { fencing < RUNS -> fencing++; mine = fencing }
  :: fencing == RUNS -> goto stop
  fi;
recover:
  /* Orders of earlier runs are looked up until their outcome is certain. */
  o = 0;
  do
  :: o < ORDERS ->
    if
    :: atomic { UNSETTLED && placed[o] > 0 -> row[o] = OPEN }
    :: atomic { UNSETTLED && placed[o] == 0 && CERTAIN -> row[o] = NEVER_ARRIVED }
    :: atomic { !UNSETTLED -> o++ }
    :: goto start
    fi
  :: o == ORDERS -> break
  od;
decide:
  if
  :: goto start
  :: !halted
  fi;
#ifdef NO_LOCK
  /* The kill switch was read above, and the intent is written later. */
  atomic {
    if
    :: !OWNED -> goto start
    :: OWNED && next == ORDERS -> goto stop
    :: OWNED && next < ORDERS -> late = late || halted; stale = stale || fencing != mine; o = next; row[o] = INTENT; next++
    fi
  };
#else
  atomic {
    if
    :: halted -> goto decide
    :: !halted && !OWNED -> goto start
    :: !halted && OWNED && next == ORDERS -> goto stop
    :: !halted && OWNED && next < ORDERS ->
      late = late || halted; stale = stale || fencing != mine; o = next; row[o] = INTENT; next++
    fi
  };
#endif
  if
  :: goto start
  :: atomic { !over[o] -> flying[o]++ }
  :: atomic { over[o] -> row[o] = NOT_SENT; goto decide }
  fi;
  /* The answer: it arrived, or nothing is known. A takeover may have settled the row meanwhile. */
  if
  :: goto start
  :: atomic { placed[o] > 0 -> row[o] = OPEN; goto decide }
  :: atomic { row[o] == INTENT -> row[o] = UNKNOWN }
  :: row[o] != INTENT
  fi;
#ifdef RESEND
  if
  :: atomic { row[o] == UNKNOWN && !over[o] -> flying[o]++ }
  :: true
  fi;
#endif
  goto recover;
stop:
  skip
}

#define MESSAGE(n) \
  :: atomic { flying[n] > 0 -> flying[n]--; placed[n]++ } \
  :: atomic { flying[n] > 0 -> flying[n]-- } \
  :: atomic { row[n] != ABSENT && !over[n] -> over[n] = true }

/* The network and the exchange: a request takes effect or is lost, and time passes. */
active proctype Exchange() {
end:
  do
  MESSAGE(0)
  MESSAGE(1)
  MESSAGE(2)
  od
}

active proctype Operator() {
end:
  do
  :: halted = !halted
  od
}

#define once(n) (placed[n] <= 1)
#define proved(n) (row[n] != NEVER_ARRIVED || placed[n] == 0)

ltl sound { [] (once(0) && once(1) && once(2) && !late && !stale && proved(0) && proved(1) && proved(2)) }
