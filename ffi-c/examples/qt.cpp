// Chats in a Qt program: QSocketNotifier watches the queue's descriptor, so that pieces and ends
// come in the thread of the object, as any event of Qt does. Nothing here needs moc; Qt 5 or 6.
//
//   c++ -std=c++17 -fPIC qt.cpp -o qt $(pkg-config --cflags --libs modelwire Qt5Core)
//   ./qt echo "Say hello." "Count to three."
#include <QCoreApplication>
#include <QHash>
#include <QSocketNotifier>
#include <QTextStream>
#include <cstdio>
#include <functional>
#include <modelwire.hpp>

class Chats : public QObject {
 public:
  using Piece = std::function<void(const QString &text)>;
  using End = std::function<void(const QString &error)>;  // empty: it ended well

  explicit Chats(QObject *parent = nullptr) : QObject(parent) {
    connect(&readable, &QSocketNotifier::activated, this, [this] { take(); });
  }

  /// Asks, and gives a number by which the chat can be cancelled.
  quint64 ask(const QString &model, const QString &text, Piece piece, End end) {
    const auto request = modelwire::request::chat(model.toStdString()).user(text.toStdString());
    queue.submit(client, request, ++last);  // the number is its tag
    running.insert(last, {std::move(piece), std::move(end)});
    return last;
  }

  /// Its end says so; a chat that is over is no fault.
  void cancel(quint64 chat) { queue.cancel(chat); }

 private:
  struct Running {
    Piece piece;
    End end;
  };

  // Readable: take until there is nothing more, then go back to the loop.
  void take() {
    while (const auto event = queue.next(std::chrono::milliseconds(0))) {
      const QString text = QString::fromUtf8(event->text().data(), int(event->text().size()));
      if (event->is_chunk()) {
        const Piece piece = running.value(event->tag()).piece;  // a copy: it may ask a question
        piece(text);
      } else {
        running.take(event->tag()).end(event->is_error() ? text : QString());
      }
    }
  }

  modelwire::client client;  // base URL and key come from the environment
  modelwire::queue queue;
  QSocketNotifier readable{queue.fd(), QSocketNotifier::Read};  // goes before the queue
  QHash<quint64, Running> running;
  quint64 last = 0;
};

int main(int argc, char **argv) try {
  QCoreApplication app(argc, argv);
  const QStringList arguments = app.arguments();
  if (arguments.size() < 3) qFatal("usage: qt MODEL TEXT...");
  Chats chats;
  QTextStream out(stdout);
  QList<quint64> asked;
  int left = int(arguments.size()) - 2, failures = 0;
  for (int i = 2; i < arguments.size(); i++) {
    asked << chats.ask(
        arguments[1], arguments[i],
        [&out, i](const QString &piece) {
          if (!piece.isEmpty()) out << i - 2 << ": " << piece << Qt::endl;
        },
        [&, i](const QString &error) {
          if (!error.isEmpty()) qWarning("%d failed: %s", i - 2, qPrintable(error));
          failures += !error.isEmpty();
          if (--left == 0) app.exit(failures != 0);
        });
  }
  QSocketNotifier keys(0, QSocketNotifier::Read);  // Return ends them all
  QObject::connect(&keys, &QSocketNotifier::activated, &app, [&] {
    keys.setEnabled(false);
    if (std::getchar() != '\n') return;
    for (const quint64 chat : asked) chats.cancel(chat);
  });
  return app.exec();
} catch (const modelwire::error &error) {
  QTextStream(stderr) << QByteArray(error.what()) << Qt::endl;
  return 1;
}
