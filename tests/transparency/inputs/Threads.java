// SPDX-License-Identifier: MIT
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads of a pool that make garbage, a server and its client, and a wait that is ended. */
public class Threads {
    static long guarded;

    static long fill(int number) {
        List<byte[]> blocks = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < 500; i++) {
            blocks.add(new byte[4096]);
            sum += (long) i * number;
            if (blocks.size() > 50) {
                blocks.clear();
            }
        }
        synchronized (Threads.class) {
            guarded += sum;
        }
        return sum;
    }

    static void serve(ServerSocket server, int count) {
        try {
            for (int i = 0; i < count; i++) {
                try (Socket socket = server.accept()) {
                    String line = read(socket);
                    socket.getOutputStream().write((line + line + "\n").getBytes());
                }
            }
        } catch (Exception error) {
            error.printStackTrace();
        }
    }

    static String read(Socket socket) throws Exception {
        return new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine();
    }

    static int ask(ServerSocket server, int count) throws Exception {
        int length = 0;
        for (int i = 0; i < count; i++) {
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                socket.getOutputStream().write(("line " + i + "\n").getBytes());
                length += read(socket).length();
            }
        }
        return length;
    }

    static void interrupt() throws Exception {
        Object never = new Object();
        Thread waiter = new Thread(() -> {
            synchronized (never) {
                try {
                    never.wait(60000);
                } catch (InterruptedException error) {
                    System.out.println("interrupted");
                }
            }
        });
        waiter.start();
        Thread.sleep(20);
        waiter.interrupt();
        waiter.join();
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        List<Future<Long>> results = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < 100; i++) {
            int number = i;
            results.add(pool.submit(() -> fill(number)));
        }
        for (Future<Long> result : results) {
            sum += result.get();
        }
        System.gc();
        pool.shutdown();
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread serving = new Thread(() -> serve(server, 20));
        serving.start();
        int length = ask(server, 20);
        serving.join();
        interrupt();
        System.out.println(sum == guarded ? length : -1);
        System.exit(7);
    }
}
