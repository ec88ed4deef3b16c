/* SPDX-License-Identifier: Apache-2.0
 *
 * A target of SwiftPM must have a source. This source's target has the search path of the public headers, which
 * peal/test.h includes. Elsewhere the file is compiled so that its warnings are seen.
 */
#include <peal/peal.h>
