package dev.modelwire;

import static dev.modelwire.Library.*;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** JSON text, read by path, "/choices/0/index" for instance; null where there is no value. */
public final class Json {
    private final String json;
    private long value;

    public Json(String json) { this.json = json; }

    /** The JSON at a path, as text. */
    public synchronized String json(String path) { return value_json(value(), path); }

    public synchronized String text(String path) { return value_text(value(), path); }

    public synchronized Long integer(String path) { return value_int(value(), path); }

    public synchronized Double number(String path) { return value_number(value(), path); }

    public synchronized Boolean truth(String path) {
        String found = json(path);
        return "true".equals(found) || "false".equals(found) ? Boolean.valueOf(found) : null;
    }

    /** How many items an array has, or members an object. */
    public synchronized long count(String path) { return value_count(value(), path); }

    /** The name of a member of an object. */
    public synchronized String name(String path, int index) {
        return value_name(value(), path, index);
    }

    /** As it was sent. */
    @Override public String toString() { return json; }

    private long value() {
        if (value != 0) return value;
        long made = value = value_new(json.isEmpty() ? "null" : json);
        CLEANER.register(this, () -> value_free(made));
        return made;
    }

    /** What becomes a JSON object: in requests it may stand wherever a map may. */
    public interface Source {
        Map<String, ?> toMap();
    }

    /** Names and values, without those that are null. */
    static Map<String, Object> object(Object... members) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int at = 0; at < members.length; at += 2) {
            if (members[at + 1] != null) map.put((String) members[at], members[at + 1]);
        }
        return map;
    }

    /** JSON text as it is, anything else as JSON text, none for none. */
    static String from(Object given) {
        return given == null || given instanceof String ? (String) given : of(given);
    }

    /** Maps, collections, numbers, truths, sources and this class; all else is a string. */
    static String of(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object given, StringBuilder out) {
        Object value = given instanceof Source source ? source.toMap() : given;
        char between = '{';
        if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> member : map.entrySet()) {
                quote(member.getKey().toString(), out.append(between));
                write(member.getValue(), out.append(':'));
                between = ',';
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Collection<?> items) {
            between = '[';
            for (Object item : items) {
                write(item, out.append(between));
                between = ',';
            }
            out.append(items.isEmpty() ? "[]" : "]");
        } else if (value == null || value instanceof Number || value instanceof Boolean
                || value instanceof Json) {
            out.append(value);
        } else {
            quote(value.toString(), out);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            if (unit < ' ') {
                out.append(unit < 16 ? "\\u000" : "\\u00").append(Integer.toHexString(unit));
            } else {
                out.append(unit == '"' || unit == '\\' ? "\\" : "").append(unit);
            }
        }
        out.append('"');
    }
}
