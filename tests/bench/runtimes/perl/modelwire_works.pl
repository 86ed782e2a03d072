# The works of the benchmark with modelwire.

use strict;
use warnings;
use Modelwire;

my $request = { model => 'bench', messages => [{ role => 'user', content => 'hello' }] };

sub client_of { return Modelwire->new(base_url => $_[0], api_key => 'sk-test') }

# The length of a text in bytes of UTF-8.
sub bytes_of {
    my ($text) = @_;
    utf8::encode($text);
    return length $text;
}

sub chat {
    my ($base_url, $operations) = @_;
    my ($client, $text_bytes) = (client_of($base_url), 0);
    $text_bytes += bytes_of($client->chat($request)->text) for 1 .. $operations;
    return ($operations, $text_bytes);
}

sub stream {
    my ($base_url) = @_;
    my ($events, $text_bytes) = (0, 0);
    my $stream = client_of($base_url)->chat_stream($request);
    while (my $chunk = $stream->next) {
        $events++;
        $text_bytes += bytes_of($chunk->text);
    }
    return ($events, $text_bytes);
}

1;
