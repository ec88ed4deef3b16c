/* SPDX-License-Identifier: Apache-2.0
 *
 * For SwiftPM alone: a target must have a source, and this one's target has the search path of the public headers, which
 * peal/test.h includes.
 */
#include <peal/peal.h>
