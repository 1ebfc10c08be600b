-- Who holds cards. Name and e-mail are read with the holder's own key; they are absent once that key is destroyed.
-- `revision` is that of the last event shown.
CREATE TABLE read_models.holders (
  id          uuid           PRIMARY KEY,
  company_id  uuid           NOT NULL,
  environment text           NOT NULL,
  kind        text           NOT NULL,
  external_id text           NOT NULL,
  name        text,
  email       text,
  created_at  timestamptz(3) NOT NULL,
  status      text           NOT NULL,
  revision    integer        NOT NULL
);

CREATE INDEX holders_by_company ON read_models.holders (company_id, environment, created_at, id);
CREATE INDEX holders_by_external_id ON read_models.holders (company_id, environment, external_id);
