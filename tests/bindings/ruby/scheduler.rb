# frozen_string_literal: true

# A small scheduler of fibers on one thread: what a program's event loop does for the binding.
class Scheduler
  # Runs a block in a fiber of a new scheduler, until that and all that it schedules are over.
  def self.run(&work)
    Thread.new do
      Fiber.set_scheduler(new)
      Fiber.schedule(&work)
    end.value
  end

  def initialize
    @readable = {}
    @asleep = {}
    # Nobody else keeps a fiber that is blocked: the collector would take it. Nor may one go that has
    # ended: Ruby 3.1.2 aborts now and then ("try to mark T_NONE object") if it collects fibers that
    # ended while others of the scheduler wait, also in a program that only sleeps.
    @blocked = {}.compare_by_identity
    @fibers = []
    @ready = []
    @lock = Thread::Mutex.new
    @woken, @waker = IO.pipe
  end

  def run
    while @readable.any? || @asleep.any? || @blocked.any? || @ready.any?
      readable = IO.select([@woken, *@readable.keys], nil, nil, longest_wait)&.first || []
      @woken.read_nonblock(4096, exception: false) if readable.delete(@woken)
      readable.each { |io| @readable.delete(io).each(&:resume) }
      now = clock
      due = @asleep.select { |_, at| at <= now }.keys
      unblocked = @lock.synchronize { @ready.slice!(0..) }
      [*due, *unblocked].uniq.each { |fiber| fiber.resume if @blocked.key?(fiber) }
    end
  end
  alias close run

  def fiber(&work)
    @fibers << Fiber.new(blocking: false, &work)
    @fibers.last.tap(&:resume)
  end

  def io_wait(io, events, _timeout)
    (@readable[io] ||= []) << Fiber.current
    Fiber.yield
    events
  ensure
    waiting = @readable[io]
    @readable.delete(io) if waiting&.delete(Fiber.current) && waiting.empty?
  end

  def kernel_sleep(seconds = nil) = block(:sleep, seconds)

  def block(_blocker, seconds = nil)
    @blocked[Fiber.current] = true
    @asleep[Fiber.current] = clock + seconds if seconds
    Fiber.yield
    !@asleep.delete(Fiber.current).nil? || seconds.nil?
  ensure
    @asleep.delete(Fiber.current)
    @blocked.delete(Fiber.current)
  end

  def unblock(_blocker, fiber)
    @lock.synchronize { @ready << fiber }
    @waker.write_nonblock(".", exception: false)
  end

  private

  def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def longest_wait
    return 0 if @ready.any?

    @asleep.empty? ? nil : [@asleep.values.min - clock, 0].max
  end
end
