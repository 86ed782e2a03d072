// The same for ES modules: one implementation, whichever way it is loaded.
export { Client, ModelwireError, setLog } from "./modelwire.js";
