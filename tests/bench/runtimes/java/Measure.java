import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * What each client of the benchmark does around its work: reads the arguments, takes CPU and wall
 * time, tells what it received as one line of JSON.
 *
 * <p>CLIENT WORK BASE_URL OPERATIONS AT_ONCE; of the last there is 1.
 */
final class Measure {
    /** The members of a request. */
    static final String CHAT =
            "\"model\":\"bench\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]";

    interface Work {
        Seen run(String work, String baseUrl, int operations) throws Exception;
    }

    /** What was received; the harness compares it with what was sent. */
    static final class Seen {
        long events, textBytes;

        void add(String text) {
            events++;
            textBytes += utf8Length(text);
        }
    }

    static void main(String[] arguments, Work work) throws Exception {
        long cpu = cpuNanoseconds(), wall = System.nanoTime();
        Seen seen = work.run(arguments[0], arguments[1], Integer.parseInt(arguments[2]));
        cpu = cpuNanoseconds() - cpu;
        wall = System.nanoTime() - wall;
        System.out.printf(
                "{\"cpu_us\":%.1f,\"wall_us\":%.1f,\"events\":%d,\"text_bytes\":%d}%n",
                cpu / 1e3, wall / 1e3, seen.events, seen.textBytes);
    }

    /** Of all threads of the process, those of the collector and the compiler too. */
    private static long cpuNanoseconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long utf8Length(String text) {
        long length = 0;
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            // Each half of a surrogate pair stands for two of the pair's four bytes.
            length += unit < 0x80 ? 1 : unit < 0x800 || Character.isSurrogate(unit) ? 2 : 3;
        }
        return length;
    }
}
