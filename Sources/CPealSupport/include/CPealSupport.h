/* The C of peal's own that Swift needs. Each file says why it cannot be Swift. */
#ifndef CPEAL_SUPPORT_H
#define CPEAL_SUPPORT_H

#include "delivery.h"
#include "entry.h"
#include "frame.h"
#include "hooks.h"
#include "mailbox.h"
#include "memory.h"
#include "probe.h"
#include "proxy.h"
#include "record.h"
#include "recorder.h"
#include "sanitizer.h"
#include "snapshot.h"
#include "thread.h"

#endif
