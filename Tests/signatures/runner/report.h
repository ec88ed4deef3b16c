/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - counts the signatures of each class by their call paths.
 */
#ifndef SIGNATURES_REPORT_H
#define SIGNATURES_REPORT_H

#include "class.h"

void report_count(const struct signature_class *class, peal_call_path path);
void report_print(void);

#endif
