/* The C of peal's own that Swift needs. Each file says why it cannot be Swift. */
#ifndef CPEAL_SUPPORT_H
#define CPEAL_SUPPORT_H

#include "clock.h"
#include "delivery.h"
#include "entry.h"
#include "event_count.h"
#include "executor.h"
#include "fork.h"
#include "frame.h"
#include "handler.h"
#include "heap.h"
#include "hooks.h"
#include "lock.h"
#include "mailbox.h"
#include "memory.h"
#include "names.h"
#include "probe.h"
#include "proxy.h"
#include "record.h"
#include "property.h"
#include "recorder.h"
#include "reserve.h"
#include "sanitizer.h"
#include "service.h"
#include "signals.h"
#include "snapshot.h"
#include "step.h"
#include "thread.h"
#include "timer.h"

#endif
