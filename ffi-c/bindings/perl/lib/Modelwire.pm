package Modelwire;

# A client of OpenAI-compatible model services for Perl, over the C library modelwire.
#
# JSON is read by Cpanel::JSON::XS where it is installed, otherwise by JSON::PP, which comes with Perl.
#
# A call waits for its answer; handlers of signals run meanwhile, and what they die of ends it. A
# stream ends when nobody has it any more. While one is read, what comes for others is kept, so that
# one loop reads thousands. Another loop watches `$client->fileno` for reading, then calls
# `$client->unfinished` and reads the streams that are `is_ready`.
#
# Clients, streams and answers stay in the thread that made them: another one (`threads`) finds
# nothing in their place, and makes a client of its own.

use strict;
use warnings;

our $VERSION = '0.1.0';

use FFI::Platypus::Buffer qw(buffer_to_scalar scalar_to_buffer);
use Modelwire::Raw;

use constant { TAKEN_AT_ONCE => 64, TEXTS_MAX => 65_536, PAUSE_AT => 128, RESUME_AT => 32 };

my $parser = eval { require Cpanel::JSON::XS; 'Cpanel::JSON::XS' };
$parser //= do { require JSON::PP; 'JSON::PP' };
my $json = $parser->new->utf8->allow_nonref;

# Places that the library writes to. They are never assigned to, which might move them.
my ($length, $count, $events) = ("\0" x 8, "\0" x 8, "\0" x (8 * TAKEN_AT_ONCE));
my ($tags, $kinds, $lengths) = map { "\0" x ($_ * TAKEN_AT_ONCE) } 8, 4, 8;
my $texts = "\0" x TEXTS_MAX;
my ($length_at, $count_at, $events_at, @facts_at, $error);

# A thread has places of its own, and no object of the others, which would be freed twice.
sub CLONE {
    my @places = map { (scalar_to_buffer $_)[0] }
        $length, $count, $events, $tags, $kinds, $lengths, $texts;
    ($length_at, $count_at, $events_at, @facts_at) = @places;
}
CLONE();
sub CLONE_SKIP                     { 1 }
sub Modelwire::Request::CLONE_SKIP { 1 }
sub Modelwire::Stream::CLONE_SKIP  { 1 }
sub Modelwire::Answer::CLONE_SKIP  { 1 }
sub Modelwire::Batch::CLONE_SKIP   { 1 }

my %levels = (
    off => MODELWIRE_LOG_OFF, error => MODELWIRE_LOG_ERROR, warn => MODELWIRE_LOG_WARN,
    warning => MODELWIRE_LOG_WARN, info => MODELWIRE_LOG_INFO, debug => MODELWIRE_LOG_DEBUG,
    trace => MODELWIRE_LOG_TRACE,
);

# A request or options as JSON text, which they may be already.
sub _json_of {
    my ($value) = @_;
    return $json->encode($value) if ref $value;
    utf8::encode($value);
    return $value;
}

# Options as a hash, which they may be already.
sub _options {
    return $_[0] if @_ == 1 && ref $_[0] eq 'HASH';
    _refuse('options are names with values, or a hash of them', '`chat({...}, name => value)`')
        if @_ % 2;
    return {@_};
}

# Dies of what the library is not asked for.
sub _refuse {
    my ($message, $hint) = @_;
    my %known = (kind => 'argument', message => $message, hint => $hint);
    die Modelwire::Error->new($json->encode(\%known));
}

# The bytes at an address, as many as the library last said.
sub _bytes_at { defined $_[0] ? buffer_to_scalar($_[0], unpack 'Q', $length) : '' }

sub _text_at {
    my $text = _bytes_at(@_);
    utf8::decode($text);
    return $text;
}

# Dies of what a function gave through `err`.
sub _check {
    my ($status) = @_;
    return $status if $status >= 0;
    my $known = $error ? _bytes_at(modelwire_error_json($error, $length_at)) : '';
    modelwire_error_free($error);
    undef $error;
    die Modelwire::Error->new($known, modelwire_status_name($status));
}

# What a function gives through `out`.
sub _made {
    my ($function, @arguments) = @_;
    _check($function->(@arguments, \my $made, \$error));
    return $made;
}

# Options by name, as docs/options.md has them: Modelwire->new(base_url => ..., http2 => \1). In
# options and requests `\1` and `\0` are true and false; 1 and 0 are numbers.
sub new {
    my $class = shift;
    my $text = _json_of(_options(@_));
    my $handle = _made(\&modelwire_client_new, $text, length $text);
    my $self = bless { handle => $handle, slots => {}, last_tag => 0 }, $class;
    return $self->_new_queue;
}

sub _new_queue {
    my ($self) = @_;
    $self->{queue} = _made(\&modelwire_queue_new, MODELWIRE_INTERRUPTIBLE);
    $self->{process} = $$;
    $self->log(@{ $self->{log} }) if $self->{log};
    return $self;
}

# Each takes a request, as a hash or JSON text, and then options of the call by name.
sub models           { my $self = shift; $self->_submit(0, 1, '', @_)->_only }
sub chat             { my $self = shift; $self->_submit(0, 2, @_)->_only }
sub responses        { my $self = shift; $self->_submit(0, 3, @_)->_only }
sub chat_stream      { my $self = shift; $self->_submit(1, 2, @_) }
sub responses_stream { my $self = shift; $self->_submit(1, 3, @_) }

sub _submit {
    my ($self, $is_stream, $operation, $request, @options) = @_;
    $self->_new_queue if $self->{process} != $$; # a child: that one is its parent's
    my ($text, $chosen) = (_json_of($request), _json_of(_options(@options)));
    my $made = _made(\&modelwire_request_new, $operation, $text, length $text);
    my $owner = bless [$made], 'Modelwire::Request';
    _check(modelwire_request_set_options($made, $chosen, length $chosen, \$error));
    my $tag = ++$self->{last_tag};
    my @call = ($self->{queue}, $self->{handle}, $made, $is_stream, $tag, \$error);
    _check(modelwire_queue_submit_request(@call));
    my $slot = $self->{slots}{$tag} = { tag => $tag, queue => $self->{queue}, items => [] };
    return bless { client => $self, slot => $slot }, 'Modelwire::Stream';
}

# Takes what comes, the first of it within a time, and puts it where it belongs. What a handler of a
# signal interrupts goes on the next time.
sub _take {
    my ($self, $longest_ms) = @_;
    my ($queue, $batch) = @$self{qw(queue batch)};
    my $status = MODELWIRE_OK;
    if (!$batch || $batch->{given} == $batch->{count}) {
        $status = modelwire_queue_take($queue, $longest_ms, $events_at, TAKEN_AT_ONCE, $count_at);
        $batch = $self->{batch} = Modelwire::Batch->new($events, unpack 'Q', $count);
        _check($status);
    }
    my ($items, $kinds, $tags) = _read($batch);
    while ((my $given = $batch->{given}) < @$items) {
        my ($kind, $tag, $end) = ($kinds->[$given], $tags->[$given], $given + 1);
        my $slot = $self->{slots}{$tag};
        if ($kind == MODELWIRE_EVENT_CHUNK) { # those that follow, at once
            $end++ while $end < @$items && $tags->[$end] == $tag && $kinds->[$end] == $kind;
        }
        $batch->{given} = $end;
        $self->{log}[1]->($items->[$given]->document) if $kind == MODELWIRE_EVENT_LOG;
        next if !$slot || $kind > MODELWIRE_EVENT_ERROR;
        my $waiting = push @{ $slot->{items} }, @$items[ $given .. $end - 1 ];
        if ($kind != MODELWIRE_EVENT_CHUNK) {
            $slot->{last} = $kind;
            delete $self->{slots}{$tag};
        } elsif ($waiting >= PAUSE_AT && !$slot->{is_paused}) {
            $slot->{is_paused} = modelwire_queue_pause($queue, $tag) == MODELWIRE_OK;
        }
    }
    return $status == MODELWIRE_OK;
}

# The events of a batch (of each the handle, what owns it and the text; later the document), their
# kinds and their tags.
sub _read {
    my ($batch) = @_;
    my @handles = unpack 'Q*', $batch->{handles};
    my (@items, @kinds, @tags);
    while (@items < @handles) {
        my $first = @items;
        my @rest = ($batch->{address} + 8 * $first, @handles - $first, MODELWIRE_READ_TEXT);
        my $count = modelwire_event_read_all(@rest, @facts_at, TEXTS_MAX);
        push @kinds, unpack "l$count", $kinds;
        push @tags, unpack "Q$count", $tags;
        my @texts = unpack join('a', '', unpack "Q$count", $lengths), $texts;
        if (!$count) { # it is longer than there is room for
            push @kinds, modelwire_event_kind($handles[$first]);
            push @tags, modelwire_event_tag($handles[$first]);
            @texts = (_bytes_at(modelwire_event_text($handles[$first], $length_at)));
        }
        utf8::decode($_) for @texts;
        push @items, map { bless [$handles[$first++], $batch, $_], 'Modelwire::Answer' } @texts;
    }
    return (\@items, \@kinds, \@tags);
}

# Takes the events that are there; returns how many calls are unfinished.
sub unfinished {
    my ($self) = @_;
    1 while $self->_take(0);
    return modelwire_queue_count($self->{queue});
}

# The descriptor is readable when there is something to take.
sub fileno { modelwire_queue_fd($_[0]{queue}) }

# Hands the records of the log, hashes with level, message and target, to a function.
sub log {
    my ($self, $level, $handler) = @_;
    my $number = $levels{ $level // '' };
    _refuse('no level of the log: ' . ($level // 'undef'), 'off, error, warn, info, debug, trace')
        if !defined $number;
    _refuse('the log needs a function', '`$client->log(info => sub { my ($record) = @_; ... })`')
        if $number && ref $handler ne 'CODE';
    _check(modelwire_queue_log($self->{queue}, $number, 0, \$error));
    $self->{log} = [$level, $handler // sub { }];
}

# Ends the calls in flight and refuses others; both fail with kind "closed".
sub close { _check(modelwire_client_close($_[0]{handle}, -1, \$error)) }

sub DESTROY {
    my ($self) = @_;
    return if ${^GLOBAL_PHASE} eq 'DESTRUCT';
    modelwire_queue_free($self->{queue}) if $self->{queue} && $self->{process} == $$;
    modelwire_client_free($self->{handle});
}

sub Modelwire::Request::DESTROY { modelwire_request_free($_[0][0]) }

package Modelwire::Stream;
use Modelwire::Raw;

# The next chunk; nothing after the last one, and then `response` is how it ended.
sub next {
    my $slot = $_[0]{slot};
    my $items = $slot->{items};
    until (@$items) {
        return if $slot->{last};
        my $client = $_[0]{client};
        Modelwire::_check(MODELWIRE_E_FORKED) if $slot->{queue} != $client->{queue};
        $client->_take(-1); # also until a signal came: its handler runs before the next round
    }
    my $item = shift @$items;
    if ($slot->{is_paused} && @$items < Modelwire::RESUME_AT) {
        $slot->{is_paused} = modelwire_queue_resume(@$slot{qw(queue tag)}) != MODELWIRE_OK;
    }
    return $item if !$slot->{last} || @$items;
    die Modelwire::Error->new($item->json) if $slot->{last} == MODELWIRE_EVENT_ERROR;
    $_[0]{response} = $item;
    return;
}

# Whether `next` has something, without waiting for it.
sub is_ready { my $slot = $_[0]{slot}; return @{ $slot->{items} } || $slot->{last} }
sub response { $_[0]{response} }
sub _only     { $_[0]->next; $_[0]{response} }

# Ends the call; reading on dies of an error of kind "cancelled".
sub cancel { modelwire_queue_cancel(@{ $_[0]{slot} }{qw(queue tag)}) }

sub DESTROY {
    my ($client, $slot) = @{ $_[0] }{qw(client slot)};
    return if ${^GLOBAL_PHASE} eq 'DESTRUCT' || $slot->{last} || $client->{process} != $$;
    delete $client->{slots}{ $slot->{tag} };
    $_[0]->cancel;
}

# Events that were taken together, and are freed when nobody has one of them.
package Modelwire::Batch;
use Modelwire::Raw;

sub new {
    my ($class, $events, $count) = @_;
    my $self = { handles => substr($events, 0, 8 * $count), count => $count, given => 0 };
    ($self->{address}) = Modelwire::scalar_to_buffer($self->{handles});
    return bless $self, $class;
}

sub DESTROY {
    my ($self) = @_;
    return if ${^GLOBAL_PHASE} eq 'DESTRUCT';
    modelwire_event_read_all(@$self{qw(address count)}, MODELWIRE_READ_FREE, (undef) x 4, 0);
}

package Modelwire::Answer;
use Modelwire::Raw;

# A chunk or a response.
sub text { $_[0][2] }
sub name { Modelwire::_text_at(modelwire_event_name($_[0][0], $length_at)) }
sub json { Modelwire::_bytes_at(modelwire_event_json($_[0][0], $length_at)) }

# The JSON as hashes and arrays; nothing at the end of a stream that was not gathered.
sub document {
    my ($self) = @_;
    return $self->[3] //= $json->decode($self->json || 'null');
}

# What the library knows of it: http_status, usage, finish_reason, tool_calls, headers and more.
sub info {
    my ($self) = @_;
    my $value = modelwire_event_info($self->[0]);
    return $json->decode(Modelwire::_bytes_at(modelwire_value_json($value, '', 0, $length_at)));
}


package Modelwire::Error;

# What went wrong: every member of modelwire_error_json is a method, `kind` and `hint` for instance.
use overload
    fallback => 1,
    '""'     => sub { sprintf "%s: %s\n%s", map { $_ // '' } @{ $_[0] }{qw(kind message hint)} };

for my $member (qw(kind message hint http_status type code param request_id path model timeout
    metered body partial headers request_time_unix_ms attempts elapsed_ms retry_after_ms
    rate_limits timing json)) {
    no strict 'refs';
    *$member = sub { $_[0]{$member} };
}

sub new {
    my ($class, $text, $kind) = @_;
    my $known = $text ? $json->decode($text) : { kind => $kind, message => 'no more is known' };
    return bless { %$known, json => $text }, $class;
}

1;
