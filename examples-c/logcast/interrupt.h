/* Stopping early: SIGINT and SIGTERM end the reading, and what was read is still reported. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/* Catches the two signals, once: a second one ends the program as usual. */
void interrupt_catch(void);

/* The signal that came, or 0. */
int interrupt_signal(void);

#endif
