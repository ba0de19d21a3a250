// Scores an answer with testlib.
#include "testlib.h"
#include <set>
#include <vector>

int main(int argc, char* argv[]) {
    registerTestlibCmd(argc, argv);
    const int n = inf.readInt(), capacity = inf.readInt();
    std::vector<int> weight(n + 1), value(n + 1);
    for (int item = 1; item <= n; ++item) {
        weight[item] = inf.readInt();
        value[item] = inf.readInt();
    }

    const int count = ouf.readInt(0, n, "the number of items");
    std::set<int> chosen;
    int total_weight = 0, total_value = 0;
    for (int place = 0; place < count; ++place) {
        const int item = ouf.readInt(1, n, "an item");
        if (!chosen.insert(item).second) quitf(_wa, "item %d is chosen twice", item);
        total_weight += weight[item];
        total_value += value[item];
    }
    if (!ouf.seekEof()) quitf(_wa, "expected %d items, found more", count);
    if (total_weight > capacity) quitf(_wa, "the items weigh %d, more than %d", total_weight, capacity);
    quitp(total_value, "%d items", count);
}
