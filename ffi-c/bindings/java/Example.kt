import dev.modelwire.ChatRequest
import dev.modelwire.Client
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.jdk9.asFlow
import kotlinx.coroutines.runBlocking

/** Prints an answer while it is being written, as a Flow: needs kotlinx-coroutines-jdk9. A flow that is left ends the call. */
fun main(arguments: Array<String>) = runBlocking {
    val (model, text) = arguments
    Client().use { client ->
        val stream = client.chatStream(ChatRequest(model).user(text))
        stream.publisher().asFlow().map { it.text() }.collect { print(it) }
        println()
    }
}
