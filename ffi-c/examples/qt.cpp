// Chats in a Qt program: QSocketNotifier watches the queue's descriptor, so that pieces and ends come in
// the thread of the object, as any event of Qt does. Nothing here needs moc; Qt 5 or 6.
//
//   c++ -std=c++17 -fPIC qt.cpp -o qt $(pkg-config --cflags --libs modelwire Qt5Core)
//   ./qt a-model "Say hello." "Count to three."
#include <modelwire.h>

#include <QCoreApplication>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSocketNotifier>
#include <QTextStream>
#include <cstdio>
#include <functional>

class Chats : public QObject {
 public:
  using Piece = std::function<void(const QString &text)>;
  using End = std::function<void(const QString &error)>;  // empty: it ended well

  explicit Chats(QObject *parent = nullptr) : QObject(parent) {
    modelwire_error *error = nullptr;
    if (modelwire_client_new(nullptr, 0, &client, &error) ||
        modelwire_queue_new(0, &queue, &error))
      qFatal("%s", modelwire_error_report(error, nullptr));
    notifier = new QSocketNotifier(modelwire_queue_fd(queue), QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] { take(); });
  }

  ~Chats() override {
    delete notifier;              // before the queue, with which the descriptor goes
    modelwire_queue_free(queue);  // ends what is not over
    modelwire_client_free(client);
  }

  /// Asks, and gives a number by which the chat can be cancelled.
  quint64 ask(const QString &model, const QString &text, Piece piece, End end) {
    const QJsonObject message{{"role", "user"}, {"content", text}};
    const QJsonObject request{{"model", model}, {"messages", QJsonArray{message}}};
    const QByteArray json = QJsonDocument(request).toJson(QJsonDocument::Compact);
    running.insert(++last, {std::move(piece), std::move(end)});
    // What is wrong with the request comes as the chat's end.
    modelwire_queue_submit(queue, client, MODELWIRE_OPERATION_CHAT, json.constData(),
                           size_t(json.size()), 1, last, nullptr);
    return last;
  }

  /// Its end says so; a chat that is over is no fault.
  void cancel(quint64 chat) { modelwire_queue_cancel(queue, chat); }

 private:
  struct Running {
    Piece piece;
    End end;
  };

  // Readable: take until there is nothing more, then go back to the loop.
  void take() {
    modelwire_event *event;
    while (modelwire_queue_next(queue, 0, &event) == MODELWIRE_OK) {
      size_t length;
      const char *utf8 = modelwire_event_text(event, &length);
      const QString text = QString::fromUtf8(utf8, int(length));
      const quint64 chat = modelwire_event_tag(event);
      const int kind = modelwire_event_kind(event);
      modelwire_event_free(event);
      if (kind == MODELWIRE_EVENT_CHUNK) {
        const Piece piece = running.value(chat).piece;  // a copy: it may ask, and move the table
        piece(text);
      } else {
        running.take(chat).end(kind == MODELWIRE_EVENT_ERROR ? text : QString());
      }
    }
  }

  modelwire_client *client = nullptr;
  modelwire_queue *queue = nullptr;
  QSocketNotifier *notifier = nullptr;
  QHash<quint64, Running> running;
  quint64 last = 0;
};

int main(int argc, char **argv) {
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
}
