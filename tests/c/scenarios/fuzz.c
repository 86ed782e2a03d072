/* to come */
#include "check.h"
