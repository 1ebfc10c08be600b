-- Decisions that take two operators: the newest proposal about each subject. `created_at` is the time of that proposal.
CREATE TABLE read_models.approvals (
  id           uuid           PRIMARY KEY,
  subject_kind text           NOT NULL,
  subject_id   uuid           NOT NULL,
  -- When the review began: an invoice can be reviewed several times.
  since        timestamptz(3),
  -- Adjustments only.
  company_id   uuid,
  -- In cents. A transfer on the chain can have any amount.
  amount       numeric(78, 0) NOT NULL,
  decision     jsonb          NOT NULL,
  status       text           NOT NULL,
  proposed_by  text           NOT NULL,
  confirmed_by text,
  confirmed_at timestamptz(3),
  withdrawn_by text,
  withdrawn_at timestamptz(3),
  -- Why the execution was refused, if the proposal was withdrawn because of that.
  refusal      text,
  created_at   timestamptz(3) NOT NULL,
  revision     integer        NOT NULL
);

CREATE INDEX approvals_by_time ON read_models.approvals (created_at, id);
CREATE INDEX approvals_by_company ON read_models.approvals (company_id, created_at, id);

-- Executed adjustments of accounts. `created_at` is the time of the request or proposal.
CREATE TABLE read_models.adjustments (
  id           uuid           PRIMARY KEY,
  company_id   uuid           NOT NULL,
  environment  text           NOT NULL,
  direction    text           NOT NULL,
  amount       bigint         NOT NULL,
  reason       text           NOT NULL,
  proposed_by  text           NOT NULL,
  confirmed_by text,
  created_at   timestamptz(3) NOT NULL,
  completed_at timestamptz(3) NOT NULL,
  revision     integer        NOT NULL
);

CREATE INDEX adjustments_by_company ON read_models.adjustments (company_id, created_at, id);
