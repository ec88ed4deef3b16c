#include "parsing.h"

bool parsing_open(struct parsing *parsing, peal_center center)
{
    if (log_fields_define(center, &parsing->protocol) < 0
        || log_fields_proxy_create(&parsing->protocol, NULL, &parsing->everybody) < 0)
        return false;
    const struct log_fields *table = parsing->everybody.table;
    const struct dpkg_handlers handlers = {
        parsing->everybody.self,
        table->state,
        table->action,
        table->other,
    };
    parsing->handlers = handlers;
    return true;
}

void parsing_close(struct parsing *parsing)
{
    if (parsing->everybody.proxy.id != 0)
        peal_proxy_destroy(parsing->everybody.proxy);
}

void parsing_look(struct parsing *parsing)
{
    size_t observers = 0;
    peal_protocol_count_observers(parsing->protocol.protocol, &observers);
    parsing->is_wanted = observers > 0;
}

void parsing_pass(struct parsing *parsing, const struct log_line *line)
{
    peal_clear_failure(); /* a failed call through the proxy sets the last failure, as observers may do */
    dpkg_read_line(&parsing->handlers, line->text, line->length);
    parsing->lost += peal_last_status() == PEAL_ERROR_MEMORY;
}
