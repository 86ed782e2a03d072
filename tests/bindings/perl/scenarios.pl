#!/usr/bin/env perl
# The scenarios of the Perl binding: `scenarios.pl NAME` plays one, as a program would.

use strict;
use warnings;
use utf8;

use Config;
use Modelwire;
use POSIX ();
use Time::HiRes qw(ualarm usleep);

my $patience_s = 15;
my @members = qw(kind message hint http_status type code param request_id path model timeout metered
    body partial headers request_time_unix_ms attempts elapsed_ms retry_after_ms);
my %scenarios;

sub equal {
    my ($found, $wanted, $what) = @_;
    $_ //= 'nothing' for $found, $wanted;
    die "$what: $found instead of $wanted\n" if $found ne $wanted;
}

sub holds { my ($is_so, $what) = @_; die "$what\n" if !$is_so }

sub chat_of { return { model => $_[0], messages => [{ role => 'user', content => $_[1] }] } }

# The error that this dies of.
sub failure {
    my ($work) = @_;
    holds(!eval { $work->(); 1 }, 'it did not die');
    my $failure = $@;
    holds(ref $failure eq 'Modelwire::Error', "another error: $failure");
    $failure->$_ for @members;
    my $kind = $failure->kind;
    holds("$failure" =~ /\Q$kind/, 'the message does not tell the kind');
    return $failure;
}

# The whole text of a stream, and how many chunks had a piece of it.
sub read_to_end {
    my ($stream) = @_;
    my ($whole, $count) = ('', 0);
    while (my $chunk = $stream->next) {
        my $text = $chunk->text;
        $whole .= $text;
        $count++ if length $text;
    }
    return wantarray ? ($whole, $count) : $whole;
}

sub memory_kib {
    open my $file, '<', '/proc/self/status' or die $!;
    my ($found) = map { /^VmRSS:\s*(\d+)/ } <$file>;
    return $found;
}

sub descriptors { return scalar(() = glob '/proc/self/fd/*') }

sub cue { holds(defined readline(STDIN), 'no cue came') }

sub eventually {
    my ($what, $is_so) = @_;
    my $before = time;
    until ($is_so->()) {
        holds(time - $before < $patience_s, "$what: not in time");
        usleep(20_000);
    }
}

# Runs this with a handler for a signal that comes after a while.
sub interrupted {
    my ($milliseconds, $handler, $work) = @_;
    local $SIG{ALRM} = $handler;
    ualarm($milliseconds * 1000);
    my $is_good = eval { $work->(); 1 };
    my $problem = $@;
    ualarm(0);
    die $problem if !$is_good;
}

$scenarios{plain} = sub {
    my $client = Modelwire->new;
    my $models = $client->models;
    holds((grep { $_ eq 'echo' } @{ $models->info->{models} }), 'echo is not among the models');
    my $response = $client->chat(chat_of('echo', 'plain words'));
    equal($response->text, 'plain words', 'text');
    equal($response->document->{choices}[0]{message}{content}, 'plain words', 'the document');
    my $info = $response->info;
    holds($info->{usage}{total_tokens} > 0, 'no usage');
    equal($info->{http_status}, 200, 'http_status');
    equal($info->{attempts}, 1, 'attempts');
    $response = $client->responses({ model => 'echo', input => 'plain words' });
    equal($response->text, 'plain words', 'response');
};

$scenarios{streamed} = sub {
    my $client = Modelwire->new;
    equal($client->responses('{"model":"echo","input":"wörter"}')->text, 'wörter', 'JSON text');
    my $streamed = sub {
        my ($words) = @_;
        my $stream = $client->chat_stream(chat_of('echo', $words), gather => \1);
        my ($texts, $deltas, $count) = ('', '', 0);
        while (my $chunk = $stream->next) {
            $texts .= $chunk->text;
            $count++ if length $chunk->text;
            $deltas .= $_->{delta}{content} // '' for @{ $chunk->document->{choices} };
        }
        equal($texts, $words, 'the texts');
        equal($deltas, $words, 'the deltas');
        equal($stream->response->info->{finish_reason}, 'stop', 'finish_reason');
        equal($stream->response->text, $words, 'what was gathered');
        equal(scalar $stream->next, undef, 'after the end');
        return $count;
    };
    holds($streamed->('one two three four') >= 2, 'not piece by piece');
    my $every = "a\0b \x{1F642} äöü \"\\\n end";
    $streamed->($every);
    equal($client->chat(chat_of('echo', $every))->text, $every, 'a whole text');
    # Longer than what is read of many events at once, between shorter ones.
    $streamed->(join ' ', 'short', "\x{e9}" x 40_000, 'x', 'y' x 65_536, ('z' x 3000) x 40);

    my ($reason, $stream) = (undef, $client->chat_stream(chat_of('echo', 'one two')));
    while (my $chunk = $stream->next) {
        $reason = $_->{finish_reason} // $reason for @{ $chunk->document->{choices} };
    }
    equal($reason, 'stop', 'finish_reason of a chunk');
    equal($stream->response->json, '', 'what was not gathered');
    equal($stream->response->document, undef, 'the document of what was not gathered');

    my ($texts, $deltas) = ('', '');
    $stream = $client->responses_stream({ model => 'echo', input => 'one two three four' });
    while (my $chunk = $stream->next) {
        $texts .= $chunk->text;
        $deltas .= $chunk->document->{delta} if $chunk->name eq 'response.output_text.delta';
    }
    equal($texts, 'one two three four', 'the texts of a response');
    equal($deltas, 'one two three four', 'the deltas of a response');
};

$scenarios{missing} = sub {
    my $client = Modelwire->new;
    my $request = chat_of('no-such-model', 'words');
    for my $work (
        sub { $client->chat($request) },
        sub { read_to_end($client->chat_stream($request)) },
    ) {
        my $failure = failure($work);
        equal($failure->kind, 'not_found', 'kind');
        equal($failure->http_status, 404, 'http_status');
        equal($failure->attempts, 1, 'attempts');
        equal($failure->model, 'no-such-model', 'model');
        holds(length $failure->message && length $failure->hint, 'no message or no hint');
        holds(length $failure->headers->[0]{value}, 'no headers');
        holds($failure->json =~ /not_found/, 'the JSON of the error');
    }
};

$scenarios{no_key} = sub {
    my $failure = failure(sub { Modelwire->new });
    equal($failure->kind, 'config', 'kind');
    holds("$failure" =~ /key/i, 'the key is not named');
};

$scenarios{wrong_request} = sub {
    my $client = Modelwire->new;
    my $failure = failure(sub { $client->chat({ model => 'echo' }) });
    equal($failure->kind, 'argument', 'kind');
    holds($failure->message =~ /messages/, 'the field is not named');
};

$scenarios{options} = sub {
    my $client = Modelwire->new;
    my @options = (total_timeout_ms => 15_000, headers => { 'x-own' => 'one' });
    my $request = chat_of('echo', 'words');
    equal($client->chat($request, @options)->text, 'words', 'a call with options');
    equal(scalar read_to_end($client->chat_stream($request, @options)), 'words', 'a stream');
    holds(@{ $client->models(@options)->info->{models} } > 0, 'no models');
    my $failure = failure(sub { $client->chat($request, totl_timeout_ms => 1) });
    holds("$failure" =~ /totl_timeout_ms/, 'the option is not named');
    $failure = failure(sub { Modelwire->new(bas_url => 'x') });
    holds("$failure" =~ /bas_url/, 'the option of the client is not named');
    my @urls = ({ url => $ENV{MODELWIRE_BASE_URL}, weight => 2 }, 'http://127.0.0.1:1/v1');
    my $several = Modelwire->new(base_urls => \@urls);
    equal($several->chat($request)->text, 'words', 'of the first service');

    equal($client->chat($request, {@options})->text, 'words', 'options as a hash');
    equal($client->models({@options})->info->{http_status}, 200, 'options of models as a hash');
    $failure = failure(sub { Modelwire->new({ bas_url => 'x' }) });
    holds("$failure" =~ /bas_url/, 'the option in a hash is not named');
    $failure = failure(sub { $client->chat(%$request) });
    equal($failure->kind, 'argument', 'kind of a request that is no hash');
    holds($failure->message =~ /^options are/, 'its message');
};

$scenarios{cut} = sub {
    my $stream = Modelwire->new->chat_stream(chat_of('any', 'words'));
    equal($stream->next->text, 'half ', 'what came before');
    equal(failure(sub { $stream->next })->kind, 'disconnected', 'kind');
    equal(scalar $stream->next, undef, 'after the error');
};

# There is one thread: a handler of a signal is what runs while a reader waits.
$scenarios{cancel} = sub {
    my $client = Modelwire->new;
    my $stream = $client->chat_stream(chat_of('any', 'words'));
    equal($stream->next->text, 'one ', 'text');
    my $failure = failure(sub { interrupted(300, sub { $stream->cancel }, sub { $stream->next }) });
    equal($failure->kind, 'cancelled', 'kind');
    {
        my $left = $client->chat_stream(chat_of('any', 'words'));
        while (my $chunk = $left->next) {
            equal($chunk->text, 'one ', 'text');
            last;
        }
    }
    eventually('its end', sub { $client->unfinished == 0 });
    print "left\n";
    cue();
};

$scenarios{slow_reader} = sub {
    my $client = Modelwire->new;
    my $slow = $client->chat_stream(chat_of('any', 'words'));
    equal(length $slow->next->text, 1000, 'a chunk');
    my $before = memory_kib();
    my @streams = map { $client->chat_stream(chat_of('any', 'words')) } 1 .. 20;
    for my $stream (@streams) {
        my ($text, $chunks) = read_to_end($stream);
        equal($chunks, 20, 'chunks of a small stream');
        equal(length $text, 20_000, 'its text');
    }
    my $grown = memory_kib() - $before;
    holds($grown < 40 * 1024, "memory grew by $grown KiB");
    my ($text, $chunks) = read_to_end($slow);
    equal($chunks, 63_999, 'chunks of the large stream after the first');
    equal(length $text, 63_999_000, 'their text');
};

$scenarios{many} = sub {
    my $client = Modelwire->new(connections_max => 1100);
    for my $number (100, 1000) {
        my @streams = map { $client->chat_stream(chat_of('slow', "stream $_")) } 1 .. $number;
        holds($client->unfinished > $number / 2, 'they are not under way at once');
        equal(scalar read_to_end($streams[$_ - 1]), "stream $_", 'text') for 1 .. $number;
    }
};

$scenarios{finalizers} = sub {
    my $client = Modelwire->new;
    for (1 .. 50) {
        my $own = $_ % 2 ? $client : Modelwire->new;
        my $stream = $own->chat_stream(chat_of('any', 'words'));
        equal($stream->next->text, 'one ', 'text');
    }
    eventually('all are over', sub { $client->unfinished == 0 });
    undef $client;
    cue();
};

# A thread has clients of its own, and those of others live on when it ends.
sub threads_leave_others_alone {
    require threads;
    my $client = Modelwire->new;
    my $stream = $client->chat_stream(chat_of('slow', 'one two three'));
    my $chunk = $stream->next;
    my @threads = map {
        my $words = "thread $_";
        threads->create(sub {
            return 'it has a client of another' if eval { $client->unfinished; 1 };
            return Modelwire->new->chat(chat_of('slow', $words))->text;
        });
    } 1 .. 4;
    equal($client->chat(chat_of('slow', 'words'))->text, 'words', 'beside threads');
    equal($threads[$_ - 1]->join, "thread $_", 'text of a thread') for 1 .. 4;
    threads->create(sub { })->join;
    equal($client->chat(chat_of('slow', 'words'))->text, 'words', 'after threads');
    equal($chunk->text . read_to_end($stream), 'one two three', 'a stream beside threads');
}

$scenarios{clients} = sub {
    threads_leave_others_alone() if $Config{useithreads};
    my ($descriptors, $memory);
    for my $number (1 .. 2000) {
        my $client = Modelwire->new;
        equal($client->chat(chat_of('echo', 'words'))->text, 'words', 'text') if $number % 100 == 0;
        $client->close if $number % 2;
        ($descriptors, $memory) = (descriptors(), memory_kib()) if $number == 200;
    }
    my $more = descriptors() - $descriptors;
    holds($more < 20, "$more more descriptors");
    $more = memory_kib() - $memory;
    holds($more < 16 * 1024, "$more KiB more");
};

$scenarios{log} = sub {
    my $client = Modelwire->new;
    my @records;
    $client->log(debug => sub { push @records, $_[0] });
    $client->chat(chat_of('echo', 'words'));
    eventually('a record', sub { $client->unfinished; @records > 0 });
    for my $record (@records) {
        holds(length $record->{$_}, "a record without $_") for qw(level message target);
        holds(!(grep { /sk-test/ } values %$record), 'the key is in the log');
    }

    $client = Modelwire->new;
    my $failure = failure(sub { $client->log(verbose => sub { }) });
    holds("$failure" =~ /verbose.*debug/s, 'the levels are not named');
    $failure = failure(sub { $client->log('debug') });
    holds($failure->message =~ /function/, 'a log without a function');
    $client->log(warning => sub { });
    $client->log('off');
    my $child = fork // die $!; # sets the log anew
    exit($client->chat(chat_of('echo', 'words'))->text ne 'words') if !$child;
    waitpid $child, 0;
    equal($?, 0, 'how the child ended');
};

$scenarios{close} = sub {
    my $client = Modelwire->new;
    my $stream = $client->chat_stream(chat_of('any', 'words'));
    equal($stream->next->text, 'one ', 'text');
    my $failure = failure(sub { interrupted(300, sub { $client->close }, sub { $stream->next }) });
    equal($failure->kind, 'closed', 'kind');
    equal(failure(sub { $client->chat(chat_of('any', 'words')) })->kind, 'closed', 'a new call');
    $client->close;
};

$scenarios{interrupt} = sub {
    my $client = Modelwire->new;
    my ($before, $was_late) = (time, 0);
    my $stream = $client->chat_stream(chat_of('any', 'words'));
    my $failure = failure(sub {
        my $handler = sub { $was_late = time - $before > 20; $stream->cancel };
        interrupted(300, $handler, sub { $stream->next });
    });
    equal($failure->kind, 'cancelled', 'kind');
    holds(!$was_late, 'the handler ran late');
    # Perl's own way of a timeout.
    my $chat = sub { $client->chat(chat_of('any', 'words')) };
    my $is_good = eval { interrupted(300, sub { die "too late\n" }, $chat); 1 };
    holds(!$is_good, 'the call was not interrupted');
    equal($@, "too late\n", 'what it died of');
    eventually('the call is over', sub { $client->unfinished == 0 });
};

$scenarios{fork} = sub {
    my $client = Modelwire->new;
    my $words = 'one two three four five six';
    my $stream = $client->chat_stream(chat_of('slow', $words));
    my $text = $stream->next->text;
    my $child = fork // die $!;
    if (!$child) {
        my $is_good = eval {
            equal(failure(sub { read_to_end($stream) })->kind, 'forked', 'before a call');
            equal($client->chat(chat_of('echo', 'words'))->text, 'words', 'text of the child');
            equal(failure(sub { read_to_end($stream) })->kind, 'forked', 'after a call');
            undef $stream;
            undef $client;
            1;
        };
        print STDERR $@ if !$is_good;
        exit !$is_good;
    }
    $text .= read_to_end($stream);
    waitpid $child, 0;
    equal($?, 0, 'how the child ended');
    equal($text, $words, 'text of the parent');
};

# A loop of the program's own watches the descriptor.
$scenarios{descriptor} = sub {
    my $client = Modelwire->new;
    my %texts = map { ("stream $_" => '') } 1 .. 10;
    my %streams = map { $_ => $client->chat_stream(chat_of('slow', $_)) } keys %texts;
    my $before = time;
    while (%streams) {
        vec(my $watched = '', $client->fileno, 1) = 1;
        select $watched, undef, undef, 1;
        $client->unfinished;
        for my $text (keys %streams) {
            while ($streams{$text} && $streams{$text}->is_ready) {
                my $chunk = $streams{$text}->next;
                $texts{$text} .= $chunk->text if $chunk;
                delete $streams{$text} if !$chunk;
            }
        }
        holds(time - $before < $patience_s, 'not in time');
    }
    equal($texts{$_}, $_, 'text') for keys %texts;
};

my $play = $scenarios{ $ARGV[0] // '' } or die "no such scenario\n";
$| = 1;
$play->();
