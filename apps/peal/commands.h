/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands. Each receives the arguments after its name and returns an exit code.
 */
#ifndef PEAL_COMMAND_COMMANDS_H
#define PEAL_COMMAND_COMMANDS_H

#include "connection.h"
#include "output.h"

/* Bytes of memory for what a program sends, such as its objects or the names of its events. */
#define KEPT_LIMIT ((size_t)1 << 30)

int command_ps(int count, char **arguments);
int command_tree(int count, char **arguments);
int command_describe(int count, char **arguments);
int command_graph(int count, char **arguments);
int command_send(int count, char **arguments);
int command_serve(int count, char **arguments);
int command_monitor(int count, char **arguments);
int command_trace(int count, char **arguments);
int command_record(int count, char **arguments);
int command_replay(int count, char **arguments);
int command_top(int count, char **arguments);

/* Removes an option without a value from the arguments. Returns true if it was there. */
bool take_flag(int *count, char **arguments, const char *name);

/* Removes an option and its value; "--seconds=3" has the same meaning. Returns NULL if it was not there, and "" if it has
 * no value. */
const char *take_value(int *count, char **arguments, const char *name);

/* Checks that no unknown option is left, and that the number of other arguments is in the range. Prints a mistake.
 * "--" ends the options and is removed. */
bool check_arguments(const char *command, int *count, char **arguments, int least, int most);

/* Reads the value of "--seconds". Prints a mistake.
 *
 * text: as returned by take_value; NULL for none, which is 0. */
bool read_seconds(const char *text, double *out_seconds);

/* Returns the monotonic time in nanoseconds, which events have too. */
uint64_t now_ns(void);

/* Makes Ctrl-C and SIGTERM set is_interrupted, and end waits. */
void catch_interrupts(void);
extern volatile bool is_interrupted;

/* Returns the memory. Ends the command if there is none: what it prints would lack something. */
void *check_memory(void *memory);

/* Writes a duration as "3.2 us". */
void format_duration(char *buffer, size_t capacity, uint64_t nanoseconds);

#endif
