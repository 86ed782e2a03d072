export * from "./modelwire.js";
