#!/usr/bin/env perl
# A streamed chat, and three at once: perl example.pl MODEL "Say hello."

use strict;
use warnings;
use Modelwire;

utf8::decode($_) for @ARGV;
my ($model, $text) = @ARGV;
my $client = Modelwire->new; # base URL and key from the environment
my %request = (model => $model, messages => [{ role => 'user', content => $text }]);
binmode STDOUT, ':encoding(UTF-8)';
$| = 1;

my $stream = $client->chat_stream(\%request);
while (my $chunk = $stream->next) { print $chunk->text }
print "\n", $stream->response->info->{http_status}, "\n";

my @streams = map { $client->chat_stream(\%request) } 1 .. 3;
for my $one (@streams) {
    my $whole = '';
    eval { while (my $chunk = $one->next) { $whole .= $chunk->text } };
    print $@ || "$whole\n";
}
