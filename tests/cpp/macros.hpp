/*
 * Macros that other headers define over plain words, with the values of one that harms most: Qt's,
 * X11's, curses', PostgreSQL's, Python's, Windows' and those of the C library. It knows no header
 * of ours; the tests include it before them, and after.
 */

// Qt, unless QT_NO_KEYWORDS is defined
#define emit
#define signals public
#define slots
#define foreach for
#define forever for (;;)

// X11
#define Bool int
#define Status int
#define None 0L
#define Success 0
#define Always 2
#define True 1
#define False 0
#define Unsorted 0
#define Above 0
#define Below 1
#define Complex 0
#define Expose 12
#define KeyPress 2
#define FocusIn 9
#define GrayScale 1
#define CursorShape 0
#define CurrentTime 0L

// curses, also as it is for C, where it leaves the standard library of C++ no peace
#define timeout(delay) wtimeout(stdscr, (delay))
#define move(y, x) wmove(stdscr, (y), (x))
#define erase() werase(stdscr)
#define clear() wclear(stdscr)
#define refresh() wrefresh(stdscr)
#define box(win, v, h) wborder((win), v, v, h, h, 0, 0, 0, 0)
#define scroll(win) wscrl((win), 1)
#define border(ls) wborder(stdscr, ls)
#define echo_wchar(c) wecho_wchar(stdscr, (c))
#define instr(s) winstr(stdscr, (s))
#define standout() wstandout(stdscr)
#define delch() wdelch(stdscr)
#define OK (0)
#define ERR (-1)
#define TRUE 1
#define FALSE 0

// PostgreSQL
#define Min(x, y) ((x) < (y) ? (x) : (y))
#define Max(x, y) ((x) > (y) ? (x) : (y))
#define Abs(x) ((x) >= 0 ? (x) : -(x))
#define ERROR 21
#define LOG 15
#define INFO 17
#define NOTICE 18
#define WARNING 19
#define FATAL 22
#define elog(level, text) text
#define lengthof(array) sizeof(array)
#define snprintf pg_snprintf
#define gettext(x) (x)
#define _(x) gettext(x)

// Python, and the C library
#define READONLY 1
#define T_INT 1
#define HAVE_STDINT_H 1
#define I _Complex_I
#define major(dev) gnu_dev_major(dev)
#define minor(dev) gnu_dev_minor(dev)

// Windows
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define DELETE 0x00010000L
#define NO_ERROR 0L
#define STRICT 1
#define GetMessage GetMessageW
#define Yield()
