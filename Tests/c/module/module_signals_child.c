/* SPDX-License-Identifier: Apache-2.0
 *
 * The program to which module_signals sends signals: a module that writes a letter for each event. It ends
 * when its modules have been stopped.
 */
#include <peal/peal.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *word)
{
    if (write(STDOUT_FILENO, word, strlen(word)) < 0)
        _exit(3);
}

static void must(peal_status status)
{
    if (status == PEAL_OK)
        return;
    fprintf(stderr, "%s\n", peal_last_message());
    _exit(2);
}

static peal_status stop(void *self, struct peal_module_step *step)
{
    (void)self;
    (void)step;
    say("-");
    return PEAL_OK;
}

static void will_terminate(void *self) { (void)self, say("t"); }
static void will_resign(void *self) { (void)self, say("r"); }
static void became_active(void *self) { (void)self, say("a"); }
static void entered_background(void *self) { (void)self, say("b"); }
static void will_enter_foreground(void *self) { (void)self, say("f"); }
static void reloaded(void *self) { (void)self, say("h"); }

static const struct peal_lifecycle events = {
    PEAL_TABLE(peal_lifecycle),
    .will_terminate = will_terminate,
    .will_resign_active = will_resign,
    .did_become_active = became_active,
    .did_enter_background = entered_background,
    .will_enter_foreground = will_enter_foreground,
    .configuration_reloaded = reloaded,
};

int main(void)
{
    const struct peal_provision tables[] = { { "PealLifecycle", &events }, { NULL, NULL } };
    const peal_queue nowhere = { 0 };
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION("child");
    peal_modules_state state = PEAL_MODULES_IDLE;
    peal_center center;

    must(peal_center_create(&center));
    module.tables = tables;
    module.stop = stop;
    must(peal_module_register(center, &module, NULL));
    must(peal_signals_bind_usual(center, nowhere, 5000));
    must(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0));
    must(peal_signal_remove_binding(center, SIGUSR1));
    must(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0));
    must(peal_modules_start(center));
    say(".");
    /* Signals do not interrupt the read, because peal installs its handlers with SA_RESTART. */
    while (state != PEAL_MODULES_STOPPED) {
        char byte;
        if (read(STDIN_FILENO, &byte, 1) <= 0)
            break;
        if (byte == 'x')
            break;
        /* 'u' unbinds the signal, which has its previous effect again. */
        if (byte == 'u') {
            must(peal_signal_remove_binding(center, SIGUSR1));
            say("u");
        }
        must(peal_modules_get_state(center, &state));
    }
    must(peal_modules_stop(center, PEAL_FOREVER));
    say("!");
    must(peal_center_destroy(center));
    return 0;
}
