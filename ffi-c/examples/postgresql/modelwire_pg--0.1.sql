-- The functions of the extension. Each call costs money: grant them to whom you trust with that.
CREATE FUNCTION modelwire_chat(text) RETURNS text
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED COST 1000000;
CREATE FUNCTION modelwire_stream(text) RETURNS SETOF text
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED COST 1000000;
REVOKE ALL ON FUNCTION modelwire_chat(text), modelwire_stream(text) FROM PUBLIC;
