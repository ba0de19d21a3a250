// Prints the score of an answer, or why it is wrong (with exit code 1).
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

[[noreturn]] void reject(const std::string& why) {
    std::cout << why << '\n';
    std::exit(1);
}

int main(int, char* argv[]) {
    std::ifstream input(argv[1]), output(argv[2]);
    long n, capacity;
    input >> n >> capacity;
    std::vector<long> weight(n + 1), value(n + 1);
    for (long item = 1; item <= n; ++item) input >> weight[item] >> value[item];

    std::vector<long> answer;
    for (std::string word; output >> word;) {
        bool is_number = word.size() <= 6;
        for (unsigned char c : word) is_number = is_number && std::isdigit(c);
        if (!is_number) reject("expected whole numbers from 0, of at most 6 digits");
        answer.push_back(std::stol(word));
    }
    if (answer.empty()) reject("the answer is empty");
    const long count = answer.front(), found = static_cast<long>(answer.size()) - 1;
    if (found != count) reject("expected " + std::to_string(count) + " items, found " + std::to_string(found));
    std::set<long> chosen(answer.begin() + 1, answer.end());
    long total_weight = 0, total_value = 0;
    for (long item : chosen) {
        if (item < 1 || item > n) reject("expected different items from 1 to " + std::to_string(n));
        total_weight += weight[item];
        total_value += value[item];
    }
    if (static_cast<long>(chosen.size()) != count) reject("expected different items from 1 to " + std::to_string(n));
    if (total_weight > capacity)
        reject("the items weigh " + std::to_string(total_weight) + ", more than " + std::to_string(capacity));
    std::cout << total_value << '\n';
}
