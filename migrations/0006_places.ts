import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create table place_description_report (
      place_description_report_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      created_by_customer_rep_id integer,
      customer_rep_id integer,
      client_names text,
      case_number text,
      description text,
      landlords text,
      tenants text,
      address text,
      report_date date,
      lexicon_document_id integer,
      instructions_document_id integer,
      transform_topic_id integer,
      hero_photo_id integer,
      -- The text that is searched, one value per line.
      search_text text not null generated always as (lower(
        coalesce(address, '') || E'\\n' || coalesce(case_number, '') || E'\\n' || coalesce(client_names, ''))) stored,
      created_at timestamptz not null default now(),
      modified_at timestamptz not null default now(),
      unique (customer_id, place_description_report_id),
      foreign key (customer_id, created_by_customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (created_by_customer_rep_id),
      foreign key (customer_id, customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (customer_rep_id),
      foreign key (customer_id, lexicon_document_id) references document (customer_id, document_id)
        on delete set null (lexicon_document_id),
      foreign key (customer_id, instructions_document_id) references document (customer_id, document_id)
        on delete set null (instructions_document_id),
      foreign key (customer_id, transform_topic_id) references topic (customer_id, topic_id)
        on delete set null (transform_topic_id)
    );
    create index place_description_report_newest
      on place_description_report (customer_id, created_at, place_description_report_id);
    create index place_description_report_search
      on place_description_report using gin (customer_id, search_text gin_trgm_ops);
    create index place_description_report_lexicon on place_description_report (customer_id, lexicon_document_id);
    create index place_description_report_instructions
      on place_description_report (customer_id, instructions_document_id);
    create index place_description_report_topic on place_description_report (customer_id, transform_topic_id);

    create table place_description_room (
      place_description_room_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      place_description_report_id integer not null,
      name text,
      sort_order integer not null,
      transcript_raw text,
      transcript_html text,
      -- Who wrote the current HTML, and the model used, if any.
      html_written_at timestamptz,
      html_customer_rep_id integer,
      html_model_id integer references model on delete set null,
      last_transformed_at timestamptz,
      unique (customer_id, place_description_room_id),
      foreign key (customer_id, place_description_report_id)
        references place_description_report (customer_id, place_description_report_id) on delete cascade,
      foreign key (customer_id, html_customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (html_customer_rep_id)
    );
    create index place_description_room_report
      on place_description_room (customer_id, place_description_report_id, sort_order, place_description_room_id);

    -- HTML that was replaced, so that a transformation never loses what a person wrote.
    create table place_description_room_version (
      place_description_room_version_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      place_description_room_id integer not null,
      transcript_html text not null,
      written_at timestamptz,
      customer_rep_id integer,
      model_id integer references model on delete set null,
      replaced_at timestamptz not null default now(),
      unique (customer_id, place_description_room_version_id),
      foreign key (customer_id, place_description_room_id)
        references place_description_room (customer_id, place_description_room_id) on delete cascade,
      foreign key (customer_id, customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (customer_rep_id)
    );
    create index place_description_room_version_room
      on place_description_room_version (customer_id, place_description_room_id);

    create table place_description_room_photo (
      place_description_room_photo_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      place_description_room_id integer not null,
      file_name text not null,
      content_type text not null,
      access_token uuid not null unique default gen_random_uuid(),
      sort_order integer not null,
      width_px integer not null,
      height_px integer not null,
      blob_id uuid not null,
      created_at timestamptz not null default now(),
      unique (customer_id, place_description_room_photo_id),
      foreign key (customer_id, place_description_room_id)
        references place_description_room (customer_id, place_description_room_id) on delete cascade,
      foreign key (customer_id, blob_id) references blob (customer_id, blob_id)
    );
    create index place_description_room_photo_room on place_description_room_photo
      (customer_id, place_description_room_id, sort_order, place_description_room_photo_id);
    create index place_description_room_photo_blob on place_description_room_photo (customer_id, blob_id);

    alter table place_description_report add foreign key (customer_id, hero_photo_id)
      references place_description_room_photo (customer_id, place_description_room_photo_id)
      on delete set null (hero_photo_id);
    create index place_description_report_hero on place_description_report (customer_id, hero_photo_id);
  `)
})
