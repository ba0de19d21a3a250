// Plays columns: `columns_bot STRENGTH SALT`. STRENGTH of 1,000 pieces go where they bring most points now, and among those lowest;
// the others where they bring least. SALT decides which pieces these are.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 12, HEIGHT = 19, MAGIC = '*' };

typedef struct {
    char cells[WIDTH][HEIGHT];
    int heights[WIDTH];
} Field;

static int width, height;

static uint64_t mixed(uint64_t number) {
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

static char at(const Field *field, int column, int row) {
    return column < 0 || column >= width || row < 0 || row >= field->heights[column] ? 0 : field->cells[column][row];
}

// Removes the marked jewels; the ones above them fall.
static void settle(Field *field, const char marked[WIDTH][HEIGHT]) {
    for (int column = 0; column < width; column++) {
        int kept = 0;
        for (int row = 0; row < field->heights[column]; row++)
            if (!marked[column][row]) field->cells[column][kept++] = field->cells[column][row];
        field->heights[column] = kept;
    }
}

// Marks all matches, and returns their number.
static int matches(const Field *field, char marked[WIDTH][HEIGHT]) {
    static const int STEPS[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    int count = 0;
    memset(marked, 0, WIDTH * HEIGHT);
    for (int column = 0; column < width; column++)
        for (int row = 0; row < field->heights[column]; row++)
            for (int step = 0; step < 4; step++) {
                int x = STEPS[step][0], y = STEPS[step][1];
                char jewel = field->cells[column][row];
                if (at(field, column + x, row + y) != jewel || at(field, column + 2 * x, row + 2 * y) != jewel) continue;
                count++;
                for (int place = 0; place < 3; place++) marked[column + place * x][row + place * y] = 1;
            }
    return count;
}

// Drops a piece into a column that has room, and returns its points.
static long drop(Field *field, const char *piece, int column, int shifts) {
    char marked[WIDTH][HEIGHT];
    long points = 0;
    if (piece[0] == MAGIC) {
        char jewel = at(field, column, field->heights[column] - 1);
        memset(marked, 0, sizeof marked);
        for (int other = 0; jewel && other < width; other++)
            for (int row = 0; row < field->heights[other]; row++)
                if (field->cells[other][row] == jewel) marked[other][row] = 1, points += 47;
        settle(field, marked);
    } else {
        for (int place = 0; place < 3; place++)
            field->cells[column][field->heights[column]++] = piece[(place + shifts) % 3];
    }
    for (int combo = 1, count; (count = matches(field, marked)) > 0; combo++) {
        points += 47L * combo * count;
        settle(field, marked);
    }
    return points;
}

int main(int count, char **words) {
    static char pieces[10000][4];
    static int answer[10000][2];
    int number, placed = 0;
    if (count != 3 || scanf("%d %d %d", &width, &height, &number) != 3) return 2;
    for (int piece = 0; piece < number; piece++)
        if (scanf("%3s", pieces[piece]) != 1) return 2;
    uint64_t strength = strtoull(words[1], 0, 10), salt = strtoull(words[2], 0, 10);
    Field field = {0};
    for (; placed < number; placed++) {
        uint64_t chance = mixed(mixed(salt) + (uint64_t)placed);
        int is_greedy = chance % 1000 < strength, chosen = -1, shifts = 0;
        long best = 0;
        for (int column = 0; column < width; column++)
            for (int shift = 0; shift < 3; shift++) {
                if (field.heights[column] + 3 > height) continue;
                Field after = field;
                long points = drop(&after, pieces[placed], column, shift);
                long worth = (is_greedy ? 100 : -100) * points - after.heights[column];
                if (chosen < 0 || worth > best) chosen = column, shifts = shift, best = worth;
            }
        if (chosen < 0) break;
        drop(&field, pieces[placed], chosen, shifts);
        answer[placed][0] = chosen + 1, answer[placed][1] = shifts;
    }
    printf("%d\n", placed);
    for (int piece = 0; piece < placed; piece++) printf("%d %d\n", answer[piece][0], answer[piece][1]);
    return 0;
}
