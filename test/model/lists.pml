/*
 * The order lists of one coin, small enough to visit every state: a stop and a target rest as one list. The worker
 * replaces a list by another: it commits the new one, cancels the old one, and sends the new one only when both legs of
 * the old one have ended without an execution. Either leg sells in parts at any step, requests are lost or come late,
 * and the worker crashes at any step. core.pml has kill switch and lease, orders.qnt the whole protocol.
 *
 * `atomic` is one transaction of the database, or one step of the exchange. Each macro that a check may define leaves one
 * rule out: APART, UNCLEARED, EARLY, RESEND, IMPATIENT.
 */
#define LISTS 3
#define HELD 3        /* bought by the worker */
#define OTHERS 2      /* of the operator: no order may sell them */

/* States of the rows of a list. */
#define ABSENT 0
#define INTENT 1
#define OPEN 2
#define UNKNOWN 3
#define NEVER_ARRIVED 4
#define ENDED 5

byte row[LISTS];        /* as the database has them */
byte qty[LISTS];
byte booked[LISTS];     /* executions that the database has */
byte placed[LISTS];     /* how often the exchange has placed the list */
bool stop[LISTS];       /* whether the leg rests on the exchange */
bool target[LISTS];
byte stopSold[LISTS];   /* executions on the exchange */
byte targetSold[LISTS];
byte flying[LISTS];     /* its requests that may still take effect */
byte leaving[LISTS];    /* cancels of it that may still take effect */
bool over[LISTS];       /* its time to be signed is over */
byte next = 0;
byte position = HELD;   /* as the database has it */
byte coins = HELD + OTHERS; /* what no order has locked */

#define sold(n) (stopSold[n] + targetSold[n])
#define rests(n) (stop[n] || target[n])
#define unsettled(n) (row[n] == INTENT || row[n] == UNKNOWN)
#ifdef IMPATIENT
#define certain(n) true
#else
/* Nothing signs the list any more, and no request of it can still take effect. */
#define certain(n) (over[n] && flying[n] == 0)
#endif
#ifdef EARLY
#define complete(n) true
#else
#define complete(n) (booked[n] == sold(n))
#endif
#ifdef UNCLEARED
#define cleared(n) true
#else
#define cleared(n) (row[n] == ENDED && booked[n] == 0)
#endif

/* The runs of the account, one after another: a crash forgets everything except the database. */
active proctype Worker() {
  byte o, old;
start:
  o = 0;
  old = LISTS;
recover:
  /* Outcomes become known, executions are recorded, and ended lists end; of those that rest one is found. */
  do
  :: o < LISTS ->
    if
    :: atomic { unsettled(o) && placed[o] > 0 -> row[o] = OPEN }
    :: atomic { unsettled(o) && placed[o] == 0 && certain(o) -> row[o] = NEVER_ARRIVED }
    :: atomic { row[o] == OPEN && booked[o] < sold(o) -> booked[o]++; position-- }
    :: atomic { row[o] == OPEN && !rests(o) && complete(o) -> row[o] = ENDED }
    :: atomic { row[o] == OPEN && rests(o) -> old = o; o++ }
    :: atomic { !unsettled(o) && row[o] != OPEN -> o++ }
    fi
  :: o == LISTS -> break
  od;
  if
  :: position == 0 || next == LISTS -> goto stop_here
  :: goto start
  :: atomic { position > 0 && next < LISTS -> o = next; next++; row[o] = INTENT; qty[o] = position }
  fi;
  if
  :: old == LISTS
  :: old < LISTS ->
    if
    :: goto start
    :: leaving[old]++
    fi;
    /* The answer to the cancel arrives, or the worker gives up; what it then knows of the old list is recorded. */
    do
    :: atomic { booked[old] < sold(old) -> booked[old]++; position-- }
    :: atomic { row[old] == OPEN && !rests(old) && complete(old) -> row[old] = ENDED }
    :: break
    od;
    if
    :: cleared(old)
    :: atomic { !cleared(old) -> row[o] = ENDED; goto start }
    fi
  fi;
  if
  :: goto start
  :: atomic { !over[o] -> flying[o]++ }
  :: atomic { over[o] -> row[o] = ENDED; goto start }
  fi;
  if
  :: goto start
  :: atomic { placed[o] > 0 -> row[o] = OPEN; goto start }
  :: atomic { row[o] = UNKNOWN }
  fi;
#ifdef RESEND
  if
  :: atomic { !over[o] -> flying[o]++ }
  :: true
  fi;
#endif
  goto start;
stop_here:
  skip
}

#ifdef APART
#define ends(leg) skip
#else
/* The first execution of a leg ends the other. */
#define ends(leg) leg = false
#endif

#define LIST(n) \
  :: atomic { flying[n] > 0 && qty[n] <= coins -> \
       flying[n]--; placed[n]++; coins = coins - qty[n]; stop[n] = true; target[n] = true } \
  :: atomic { flying[n] > 0 -> flying[n]-- } \
  :: atomic { leaving[n] > 0 && rests(n) -> \
       leaving[n]--; coins = coins + qty[n] - sold(n); stop[n] = false; target[n] = false } \
  :: atomic { leaving[n] > 0 -> leaving[n]-- } \
  :: atomic { stop[n] && sold(n) < qty[n] -> stopSold[n]++; ends(target[n]); stop[n] = sold(n) < qty[n] } \
  :: atomic { target[n] && sold(n) < qty[n] -> targetSold[n]++; ends(stop[n]); target[n] = sold(n) < qty[n] } \
  :: atomic { row[n] != ABSENT && !over[n] -> over[n] = true }

/* The network, the exchange and the market. */
active proctype Exchange() {
end:
  do
  LIST(0)
  LIST(1)
  LIST(2)
  od
}

#define once(n) (placed[n] <= 1)
#define proved(n) (row[n] != NEVER_ARRIVED || placed[n] == 0)
#define oneLeg(n) (stopSold[n] == 0 || targetSold[n] == 0)
#define inOrders(n) (sold(n) + (stop[n] | target[n]) * (qty[n] - sold(n)))
/* What was sold, and what rests, is never more than the worker bought. */
#define within (inOrders(0) + inOrders(1) + inOrders(2) <= HELD)

ltl sound { [] (once(0) && once(1) && once(2) && proved(0) && proved(1) && proved(2) &&
  oneLeg(0) && oneLeg(1) && oneLeg(2) && within) }
