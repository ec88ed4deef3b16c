/* Signals: SIGINT and SIGTERM end the reading, and what was read is still reported. SIGHUP asks for a
 * reload. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

/* Catches the signals; the first two once: a second one ends the program as usual. */
void interrupt_catch(void);

/* The signal that ends the reading, or 0. */
int interrupt_signal(void);
/* Whether a reload was asked for since this was last called. */
bool interrupt_takes_reload(void);

/* Waits until a file has something to read, or has ended. False when a signal came instead. */
bool interrupt_wait(int file);

#endif
