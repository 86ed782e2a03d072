# The works of the benchmark with HTTP::Tiny, which comes with Perl, and Cpanel::JSON::XS.

use strict;
use warnings;
use Cpanel::JSON::XS;
use HTTP::Tiny;

my $json = Cpanel::JSON::XS->new->utf8;
my %headers = ('Content-Type' => 'application/json', Authorization => 'Bearer sk-test');
my @messages = ({ role => 'user', content => 'hello' });

# The length of a text in bytes of UTF-8.
sub bytes_of {
    my ($text) = @_;
    utf8::encode($text);
    return length $text;
}

sub chat {
    my ($base_url, $operations) = @_;
    my ($http, $text_bytes) = (HTTP::Tiny->new, 0);
    for (1 .. $operations) {
        my $content = $json->encode({ model => 'bench', messages => \@messages });
        my %options = (headers => \%headers, content => $content);
        my $answer = $http->post("$base_url/chat/completions", \%options);
        die "status $answer->{status}\n" if !$answer->{success};
        my $document = $json->decode($answer->{content});
        $text_bytes += bytes_of($document->{choices}[0]{message}{content});
    }
    return ($operations, $text_bytes);
}

sub stream {
    my ($base_url) = @_;
    my ($events, $text_bytes, $rest, $is_done) = (0, 0, '', 0);
    my $on_data = sub {
        $rest .= $_[0];
        my @lines = split /\n/, $rest, -1;
        $rest = pop @lines;
        for my $line (@lines) {
            next if substr($line, 0, 6) ne 'data: ';
            if ($line eq 'data: [DONE]') {
                $is_done = 1;
                next;
            }
            my $choice = $json->decode(substr $line, 6)->{choices}[0];
            $events++;
            $text_bytes += bytes_of($choice->{delta}{content} // '');
        }
    };
    my $content = $json->encode({ model => 'bench', messages => \@messages, stream => \1 });
    my %options = (headers => \%headers, content => $content, data_callback => $on_data);
    my $answer = HTTP::Tiny->new->post("$base_url/chat/completions", \%options);
    die "status $answer->{status}\n" if !$answer->{success} || !$is_done;
    return ($events, $text_bytes);
}

1;
