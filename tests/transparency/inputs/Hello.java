// SPDX-License-Identifier: MIT
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Hello {
    static long work(int seed) {
        Map<Integer, List<String>> map = new TreeMap<>();
        for (int i = 0; i < 50000; i++)
            map.computeIfAbsent((i * seed) % 101, k -> new ArrayList<>()).add("v" + i);
        return map.values().stream().mapToLong(list -> list.size() * seed).sum();
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Long>> futures = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            final int seed = i;
            futures.add(pool.submit(() -> work(seed)));
        }
        for (Future<Long> future : futures)
            System.out.println(future.get());
        pool.shutdown();
        System.out.println(IntStream.range(0, 1000).mapToObj(Integer::toString)
            .collect(Collectors.joining(",")).hashCode());
        System.gc();
        try {
            Object nothing = null;
            nothing.hashCode();
        } catch (NullPointerException error) {
            System.err.println("caught");
        }
        System.exit(3);
    }
}
