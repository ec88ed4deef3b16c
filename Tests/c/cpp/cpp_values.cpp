// SPDX-License-Identifier: Apache-2.0
//
// Properties as typed objects.
#include "cpp.hpp"

#include <string>

PEAL_TYPE(spot_text, struct spot { int x, y; });
PEAL_CXX_TYPE(spot, "struct spot", spot_text);

PEAL_PROPERTY(volume, "volume", float);

CLAIM("X5", "a property has a value of its C++ type, and notifies its observers")
{
    house h;
    const auto level = peal::property<int32_t>::define(h.center, "level", 3);
    CHECK_EQUAL(level.get(), 3);
    const auto a = level.observe([c = counted()](int before, int now) { journal_write("%d>%d", before, now); });
    const auto b = level.observe([c = counted()](int now) { journal_write("%d", now); });
    const auto d = level.observe([c = counted()] { journal_write("changed"); });
    const auto e = level.observe(
        [](const peal_change &change) { journal_write("r%d", *static_cast<const int *>(change.new_value)); });
    CHECK_OK(level.set(4));
    CHECK_JOURNAL("changed 3>4 4 r4");
    CHECK(level.compare_and_set(4, 5));
    CHECK(!level.compare_and_set(4, 6));
    CHECK_EQUAL(level.get(), 5);
    CHECK_JOURNAL("changed 4>5 5 r5");
}

CLAIM("X5", "the value of a text property is a std::string, and its observers get views")
{
    house h;
    const auto title = peal::property<std::string>::define(h.center, "title", "old");
    const auto a = title.observe([](std::string_view before, std::string_view now) {
        journal_write("%s>%s", std::string(before).c_str(), std::string(now).c_str());
    });
    const std::string lengthy(5000, 'x');
    CHECK_TEXT(title.get().c_str(), "old");
    title.set("new");
    CHECK_JOURNAL("old>new");
    title.set(lengthy);
    CHECK(title.get() == lengthy);
    title.set(std::string_view("cut here", 3));
    CHECK_TEXT(title.get().c_str(), "cut");
    journal_clear();
}

CLAIM("X5", "a struct is a property's value, and a property of C is the same as one of C++")
{
    house h;
    const auto place = peal::property<spot>::define(h.center, "place", spot{ 1, 2 });
    const auto o = place.observe([](spot before, spot now) { journal_write("%d,%d", before.x, now.y); });
    place.set({ 3, 4 });
    CHECK_EQUAL(place.get().y, 4);
    CHECK_JOURNAL("1,4");
    struct volume_property volume;
    CHECK_OK(volume_define(h.center, 0.5f, nullptr, &volume));
    const auto same = peal::property<float>::find(h.center, "volume");
    same.set(0.75f);
    CHECK_REAL(volume_get(volume), 0.75);
}

CLAIM("X5", "an observer of a property is notified at once by an option, and a batch notifies once")
{
    house h;
    const auto level = peal::property<int>::define(h.center, "level", 1);
    const auto o = level.observe(
        [](int before, int now) { journal_write("%d>%d", before, now); }, PEAL_PROPERTY_INITIAL);
    CHECK_JOURNAL("1>1");
    {
        const peal::batch batch;
        CHECK_STATUS(level.set(2), PEAL_DEFERRED);
        level.set(3);
        CHECK_EQUAL(level.get(), 3);
        CHECK_JOURNAL("");
    }
    CHECK_JOURNAL("1>3");
}

CLAIM("X5", "a property's observers may have queues, and a unique handle of C++ may end the property")
{
    house h;
    peal::queue queue = peal::queue::pumped();
    const auto level = peal::property<int>::define(h.center, "level", 1, PEAL_PROPERTY_IGNORE_EQUAL);
    const auto o = level.observe(
        peal::observe_options().on(queue), [](int now) { journal_write("%d", now); }, PEAL_PROPERTY_KEEP_LATEST);
    level.set(1);
    level.set(2);
    level.set(3);
    (void)queue.pump();
    CHECK_JOURNAL("3");
    {
        const peal::unique<peal_property> ending(level);
    }
    CHECK_THROWS(level.get(), PEAL_ERROR_HANDLE, "");
}

CLAIM("F1", "an observer that does not fit a property is refused with a sentence, and its lambda destroyed")
{
    house h;
    const auto level = peal::property<int>::define(h.center, "level", 1);
    CHECK_REFUSED(peal::property<int>::try_find(h.center, "lever"), PEAL_ERROR_NOT_FOUND, "lever");
    CHECK_REFUSED(peal::property<double>::try_find(h.center, "level"), PEAL_ERROR_TYPE, "");
    CHECK_REFUSED(peal::property<std::string>::try_define(h.center, "level"), PEAL_ERROR_CONFLICT, "");
    CHECK_REFUSED(level.try_observe(
                      peal::observe_options(), [c = counted()](int) {}, PEAL_PROPERTY_KEEP_LATEST),
        PEAL_ERROR_ARGUMENT, "");
    CHECK_EQUAL(counted::alive, 0);
    const peal::property<int> none;
    const peal::property<std::string> no_text;
    CHECK_REFUSED(none.try_get(), PEAL_ERROR_HANDLE, "");
    CHECK_REFUSED(no_text.try_get(), PEAL_ERROR_HANDLE, "");
    CHECK_REFUSED(none.try_set(1), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(none.set(1), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(none.compare_and_set(1, 2), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(none.remove(), PEAL_ERROR_HANDLE, "");
}
