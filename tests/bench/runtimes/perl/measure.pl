#!/usr/bin/env perl
# What both clients do around their work: reads the arguments, takes CPU and wall time, tells what
# was received as one line of JSON.
#
#     measure.pl CLIENT WORK BASE_URL OPERATIONS AT_ONCE

use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

my ($client, $work, $base_url, $operations) = @ARGV;
require "${client}_works.pl";
my $play = main->can($work) or die "no such work: $work\n";
my @clocks = (CLOCK_PROCESS_CPUTIME_ID, CLOCK_MONOTONIC);
my @before = map { clock_gettime($_) } @clocks;
my @seen = $play->($base_url, $operations);
my @spent = map { 1e6 * (clock_gettime($clocks[$_]) - $before[$_]) } 0, 1;
printf qq({"cpu_us":%.1f,"wall_us":%.1f,"events":%d,"text_bytes":%d}\n), @spent, @seen;
