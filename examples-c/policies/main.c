/* Every policy for results, in an auction. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

/* `did_open` and `knows` both return bool: the first calls all observers, the second stops at the first true. */
#define BIDDER(METHOD)                                                        \
    METHOD(required, bool, did_open, (const char *item), all)                 \
    METHOD(required, bool, knows, (const char *item), first_true)             \
    METHOD(optional, const char *, origin, (const char *item), first_nonzero) \
    METHOD(required, int32_t, bid, (const char *item), max)                   \
    METHOD(optional, double, adjust, (const char *item, double price), chain(price))
PEAL_PROTOCOL(bidder, "Bidder", BIDDER);

struct person {
    const char *name;
    int32_t limit;
    double factor;      /* by which this person changes a price */
    const char *origin; /* the origin according to this person, or NULL */
};

static bool did_open(void *self, const char *item)
{
    const struct person *person = self;
    printf("    %s is told of the %s\n", person->name, item);
    return true;
}

static bool knows(void *self, const char *item)
{
    const struct person *person = self;
    printf("    %s is asked about the %s\n", person->name, item);
    return person->origin != NULL;
}

static const char *origin(void *self, const char *item)
{
    (void)item;
    return ((const struct person *)self)->origin;
}

static int32_t bid(void *self, const char *item)
{
    (void)item;
    return ((const struct person *)self)->limit;
}

static double adjust(void *self, const char *item, double price)
{
    (void)item;
    return price * ((const struct person *)self)->factor;
}

static const struct bidder guest = { PEAL_TABLE(bidder), did_open, knows, NULL, bid, NULL };
static const struct bidder dealer = { PEAL_TABLE(bidder), did_open, knows, origin, bid, adjust };

static void check(peal_status status)
{
    if (status < 0) {
        fprintf(stderr, "policies: %s\n", peal_last_message());
        exit(1);
    }
}

/* The two highest bids: the highest bidder pays the second highest bid. */
struct two_highest {
    int32_t first, second;
};

static bool keep_two_highest(void *context, void *accumulator, const void *result)
{
    struct two_highest *highest = accumulator;
    const int32_t value = *(const int32_t *)result;
    (void)context;
    if (value > highest->first) {
        highest->second = highest->first;
        highest->first = value;
    } else if (value > highest->second) {
        highest->second = value;
    }
    return true;
}

/* Stops a chain of prices once one is below the floor. */
static bool above_floor(void *context, void *accumulator, const void *result)
{
    (void)accumulator;
    return *(const double *)result >= *(const double *)context;
}

/* Calls one method with each policy whose result is a single number. */
static void ask_for_bids(const struct bidder_protocol *auction, const char *item)
{
    static const struct {
        peal_policy policy;
        const char *name;
    } policies[] = {
        { PEAL_POLICY_METHOD, "METHOD (max)" },
        { PEAL_POLICY_FIRST_TRUE, "FIRST_TRUE" },
        { PEAL_POLICY_FIRST_NONZERO, "FIRST_NONZERO" },
        { PEAL_POLICY_LAST, "LAST" },
        { PEAL_POLICY_SUM, "SUM" },
        { PEAL_POLICY_MIN, "MIN" },
        { PEAL_POLICY_MAX, "MAX" },
        { PEAL_POLICY_ANY, "ANY" },
        { PEAL_POLICY_EVERY, "EVERY" },
    };
    void *arguments[] = { &item };
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct peal_send_options options = PEAL_SEND_OPTIONS;
        int32_t result = 0;
        size_t calls = 0;
        options.policy = policies[i].policy;
        check(peal_send_with(auction->bid, arguments, 1, &options, &result, &calls));
        printf("    %-14s %4d from %zu\n", policies[i].name, (int)result, calls);
    }
}

static void collect_bids(const struct bidder_protocol *auction, const char *item)
{
    int32_t values[2];
    struct peal_collection bids = { sizeof bids, values, 2, 0 };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    void *arguments[] = { &item };
    size_t calls = 0;
    options.policy = PEAL_POLICY_COLLECT;
    const peal_status status = peal_send_with(auction->bid, arguments, 1, &options, &bids, &calls);
    check(status);
    printf("    %-14s", "COLLECT");
    for (size_t i = 0; i < bids.count; i++)
        printf(" %4d", (int)values[i]);
    printf(" from %zu: %s\n", calls, peal_status_name(status));
}

static void fold_bids(const struct bidder_protocol *auction, const char *item)
{
    struct two_highest highest = { 0, 0 };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    void *arguments[] = { &item };
    options.policy = PEAL_POLICY_FOLD;
    options.fold = keep_two_highest;
    check(peal_send_with(auction->bid, arguments, 1, &options, &highest, NULL));
    printf("    %-14s %4d is bid, %d is paid\n", "FOLD", (int)highest.first, (int)highest.second);
}

/* Passes each price to the next bidder. A floor stops the chain early. */
static void chain_prices(const struct bidder_protocol *auction, const char *item, double floor)
{
    double price = 100, result = 0;
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    void *arguments[] = { &item, &price };
    size_t calls = 0;
    options.fold = above_floor;
    options.fold_context = &floor;
    check(peal_send_with(auction->adjust, arguments, 2, &options, &result, &calls));
    printf("    from %.2f, not below %.2f: %.2f after %zu\n", price, floor, result, calls);
}

/* Without observers the result is the policy's default, or the caller's. */
static void ask_without_observers(const struct bidder_protocol *empty, const char *item)
{
    bool known = true;
    int32_t highest = 7;
    double price = 100, adjusted = 0;
    const int32_t reserve = 25;
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    size_t calls = 1;
    void *arguments[] = { &item, &price };
    check(peal_ask(empty->knows, &known, item));
    check(peal_send(empty->bid, arguments, 1, &highest, &calls));
    check(peal_ask(empty->adjust, &adjusted, item, price));
    printf("    knows: %s, bid: %d from %zu, adjust: %.2f\n", known ? "true" : "false", (int)highest, calls, adjusted);
    options.default_result = &reserve;
    check(peal_send_with(empty->bid, arguments, 1, &options, &highest, &calls));
    printf("    bid with a reserve as the default: %d from %zu\n", (int)highest, calls);
}

int main(void)
{
    struct person ann = { "Ann", 40, 0.9, NULL };
    struct person bob = { "Bob", 55, 0.8, "Delft" };
    struct person cid = { "Cid", 30, 0.5, "Meissen" };
    const char *item = "vase", *where = NULL;
    bool known = false;
    struct bidder_protocol auction, empty;
    peal_center elsewhere;

    check(bidder_define(peal_center_default(), &auction));
    check(bidder_observe(&auction, &ann, &guest, NULL, NULL));
    check(bidder_observe(&auction, &bob, &dealer, NULL, NULL));
    check(bidder_observe(&auction, &cid, &dealer, NULL, NULL));
    check(peal_center_create(&elsewhere));
    check(bidder_define(elsewhere, &empty));

    printf("did_open, all: results are dropped\n");
    check(peal_broadcast(auction.did_open, item));
    printf("knows, first_true: the rest are not asked\n");
    check(peal_ask(auction.knows, &known, item));
    printf("origin, first_nonzero: of a pointer\n");
    check(peal_ask(auction.origin, &where, item));
    printf("    %s\n", where);

    printf("bid, with a policy given at the call\n");
    ask_for_bids(&auction, item);
    collect_bids(&auction, item);
    fold_bids(&auction, item);

    printf("adjust, chain\n");
    chain_prices(&auction, item, 10);
    chain_prices(&auction, item, 90);

    printf("no observers\n");
    ask_without_observers(&empty, item);
    return peal_center_destroy(elsewhere) == PEAL_OK ? 0 : 1;
}
