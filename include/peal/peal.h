/* SPDX-License-Identifier: Apache-2.0
 *
 * peal.h - includes all headers. peal connects parts of a program that know nothing about each other: one
 * call of a method reaches every part that observes the method.
 *
 * Start with protocol.h, which declares methods, observer.h, which registers observers, and broadcast.h,
 * which calls them. service.h has singletons by name. module.h starts and stops the parts of a program.
 */
#ifndef PEAL_PEAL_H
#define PEAL_PEAL_H

#include "base.h"
#include "broadcast.h"
#include "builtin.h"
#include "call.h"
#include "center.h"
#include "clock.h"
#include "completion.h"
#include "enumerate.h"
#include "inspect.h"
#include "invocation.h"
#include "module.h"
#include "observer.h"
#include "owner.h"
#include "property.h"
#include "protocol.h"
#include "proxy.h"
#include "queue.h"
#include "reference.h"
#include "reflection.h"
#include "service.h"
#include "status.h"
#include "tap.h"
#include "timer.h"
#include "types.h"
#include "version.h"

#endif
